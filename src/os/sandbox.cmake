# The sandbox: part of the library `os`, and (the half that enters it) a shared library for the
# warm interpreter.

# Compiled twice, so free of everything but the C++ library and system calls.
set(KA_SANDBOX_ENTER_SOURCES
  sandbox_enter.cc
  sandbox_landlock.cc
  sandbox_mounts.cc
  sandbox_policy.cc
  sandbox_seccomp.cc
  sandbox_tree.cc
)

set(KA_SANDBOX_SOURCES
  ${KA_SANDBOX_ENTER_SOURCES}
  |
  sandbox.cc
  sandbox_cgroup.cc
  sandbox_launch.cc
  sandbox_probe.cc
  sandbox_spawn.cc
)

# libka_sandbox.so: loaded by a Python process whose other libraries bring another libstdc++, so it
# carries its own and shows only the C functions. Never built with sanitizers: their run-time library
# cannot be loaded late.
add_library(ka_sandbox_so SHARED ${KA_SANDBOX_ENTER_SOURCES})
set_target_properties(ka_sandbox_so PROPERTIES
  OUTPUT_NAME ka_sandbox
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
)
target_include_directories(ka_sandbox_so PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ka_sandbox_so PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O2)
target_link_options(ka_sandbox_so PRIVATE
  -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,defs -Wl,-s
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/sandbox_exports.map)
set_target_properties(ka_sandbox_so PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sandbox_exports.map)

ka_test(sandbox_test SOURCES
  sandbox_escape_test.cc
  sandbox_fork_test.cc
  sandbox_test.cc
  sandbox_test_main.cc
  DEPS os
  LABEL sandbox
)
if(TARGET sandbox_test)
  target_compile_definitions(sandbox_test PRIVATE KA_SANDBOX_SO="$<TARGET_FILE:ka_sandbox_so>")
  add_dependencies(sandbox_test ka_sandbox_so)
endif()

add_executable(sandbox_cost EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/sandbox_cost.cc)
target_link_libraries(sandbox_cost PRIVATE ka_os)
