#include "profile/instruction_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::profile {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

struct Case {
  CodeForm form;
  const char *mnemonic, *kind;
};

constexpr CodeForm kS = CodeForm::sass, kP = CodeForm::ptx;
constexpr Case kCases[] = {
    {kS, "LDG.E", "global_load_32"},
    {kS, "LDG.E.128", "global_load_128"},
    {kS, "LDG.E.64.CONSTANT", "global_load_64"},
    {kS, "LDG.E.U16", "global_load_16"},
    {kS, "LDG.E.S8", "global_load_8"},
    {kS, "STG.E.EF.128", "global_store_128"},
    {kS, "LDGSTS.E.BYPASS.128", "async_copy_128"},
    {kS, "LDGSTS.E", "async_copy_32"},
    {kS, "UTMALDG.2D", "bulk_copy"},
    {kS, "LDS.U.128", "shared_load"},
    {kS, "LDSM.16.MT88.4", "shared_load"},
    {kS, "STL.64", "local_store"},
    {kS, "LDL", "local_load"},
    {kS, "HMMA.16816.F32", "tensor"},
    {kS, "HGMMA.64x128x16.F32", "tensor"},
    {kS, "MUFU.EX2", "special"},
    {kS, "FADD", "fp32"},
    {kS, "FFMA.FTZ", "fp32_fma"},
    {kS, "HGMMA.64x64x8.F32.TF32", "tensor_tf32"},
    {kS, "HFMA2.MMA", "fp16"},
    {kS, "DFMA", "fp64"},
    {kS, "IMAD.MOV.U32", "integer"},
    {kS, "BAR.SYNC.DEFER_BLOCKING", "barrier"},
    {kS, "BRA", "branch"},
    {kS, "RED.E.ADD.F32", "atomic"},
    {kS, "CS2R", "other"},
    {kS, "lower", ""},
    {kS, "", ""},
    {kP, "ld.global.v4.b32", "global_load_128"},
    {kP, "ld.global.L1::evict_last.v2.b64", "global_load_128"},
    {kP, "ld.global.u8", "global_load_8"},
    {kP, "st.global.v4.b32", "global_store_128"},
    {kP, "st.shared.v4.b32", "shared_store"},
    {kP, "ld.shared::cta.b32", "shared_load"},
    {kP, "ld.param.b64", "other"},
    {kP, "cp.async.cg.shared.global", "async_copy_128"},
    {kP, "cp.async.commit_group", "other"},
    {kP, "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", "bulk_copy"},
    {kP, "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "tensor"},
    {kP, "wgmma.wait_group.sync.aligned", "other"},
    {kP, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "tensor_tf32"},
    {kP, "ex2.approx.f32", "special"},
    {kP, "fma.rn.f32", "fp32_fma"},
    {kP, "add.s32", "integer"},
    {kP, "mov.b32", "other"},
    {kP, "bar.sync", "barrier"},
    {kP, "LDG", ""},
};

TEST(InstructionMix, KindsComeFromNames) {
  for (const Case& c : kCases) EXPECT_EQ(instruction_kind(c.mnemonic, c.form), c.kind) << c.mnemonic;
}

TEST(InstructionMix, CountsTheLinesOfADisassembler) {
  const char* code = "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
                     "//--------------------- .text.mm --------------------------\n"
                     "mm:\n.text.mm:\n"
                     "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                     "        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;\n"
                     "        /*0020*/               @P1 LDG.E.128 R8, desc[UR4][R2.64+0x10] ;\n"
                     ".L_x_0:\n"
                     "        /*0030*/                   FADD R4, R4, R8 ;\n"
                     "        /*0040*/              @UP0 UIADD3 UR4, UR4, 0x1, URZ ;\n"
                     "        /*0050*/                   STG.E desc[UR4][R2.64], R4 ;\n"
                     "        /*0060*/                   BRA `(.L_x_0);\n"
                     "        /*0070*/                   NOP ;\n";
  EXPECT_THAT(instruction_mix(code, kS), UnorderedElementsAre(Pair("global_load_128", 2), Pair("global_store_32", 1), Pair("fp32", 1), Pair("integer", 1),
                                                              Pair("branch", 1), Pair("other", 1), Pair("total", 7)));
}

TEST(InstructionMix, CountsTheLinesOfAnAssemblerText) {
  const char* code = ".version 8.7\n.target sm_90a\n.visible .entry k(\n\t.param .u64 .ptr .global .align 1 k_param_0\n)\n{\n"
                     "\t.reg .pred \t%p<3>;\n$L__func_begin0:\n"
                     "\t.loc\t1 12 20                         // t.py:12:20\n"
                     "\tmov.u32 \t%r1, %ctaid.x;\n"
                     "\t// begin inline asm\n"
                     "\tmov.u32 %r2, 0x0;\n"
                     "\t@%p1 ld.global.v4.b32 { %r3, %r4, %r5, %r6 }, [ %rd1 + 0 ];\n"
                     "\t// end inline asm\n"
                     "\tfma.rn.f32 \t%r7, %r3, %r4, %r5;\n"
                     "\tret;\n}\n";
  EXPECT_THAT(instruction_mix(code, kP), UnorderedElementsAre(Pair("other", 2), Pair("global_load_128", 1), Pair("fp32_fma", 1), Pair("branch", 1), Pair("total", 5)));
}

TEST(InstructionMix, DamagedTextHasFewerInstructionsAndDoesNoHarm) {
  for (const char* code : {"", "\n\n", "/*", "/*0000*/", "/*0000*/ @P0", "/*0000*/ LDG.E.99999999999999999999 R1 ;", "/*0000*/ . ;", "/*0000*/ ....;", "@", "{{{{", "ld.global.v;"})
    for (const CodeForm form : {kS, kP}) {
      const auto mix = instruction_mix(code, form);
      EXPECT_LE(mix.size(), 2u) << code;
    }
}

}  // namespace
}  // namespace ka::profile
