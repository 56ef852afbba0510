// The filter is a straight line of small blocks. Each begins and ends with the system call's number in the
// accumulator:
//
//   deny(nr):            if nr: return the error
//   deny_when(nr, ...):  if nr: load the argument, test, return the error; load the number again
//
// Its length costs nothing at run time for most calls: the kernel works out once which numbers are allowed
// whatever their arguments are, and skips the filter for those.
#include "os/sandbox_seccomp.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#if !defined(__x86_64__)
#error "the tables of system calls below are written for x86-64"
#endif

namespace ka::os {
namespace {

// Newer than the C library's headers.
constexpr std::uint32_t kFchmodat2 = 452;
constexpr std::uint32_t kStatmount = 457;
constexpr std::uint32_t kListmount = 458;
constexpr std::uint32_t kSetxattrat = 463;
constexpr std::uint32_t kRemovexattrat = 466;
constexpr std::uint32_t kOpenTreeAttr = 467;
constexpr std::uint32_t kFileSetattr = 469;
constexpr std::uint32_t kListns = 470;

constexpr std::uint32_t kX32Bit = 0x40000000;

constexpr std::uint32_t kRefused[] = {
    // memory and descriptors of other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_migrate_pages,
    SYS_move_pages,
    // namespaces, mounts, roots
    SYS_setns,
    SYS_unshare,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    kOpenTreeAttr,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_fspick,
    SYS_mount_setattr,
    kStatmount,
    kListmount,
    kListns,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    // the kernel itself
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_create_module,
    SYS_query_module,
    SYS_get_kernel_syms,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_acct,
    SYS_syslog,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS__sysctl,
    SYS_nfsservctl,
    SYS_lookup_dcookie,
    SYS_vhangup,
    SYS_memfd_secret,
    // keys, clock, names
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
};

constexpr std::uint32_t kAttributeCalls[] = {
    SYS_chmod,        SYS_fchmod,     SYS_fchmodat,  kFchmodat2,  SYS_chown,       SYS_fchown,
    SYS_lchown,       SYS_fchownat,   SYS_utime,     SYS_utimes,  SYS_futimesat,   SYS_utimensat,
    SYS_setxattr,     SYS_lsetxattr,  SYS_fsetxattr, kSetxattrat, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr, kRemovexattrat, kFileSetattr,
};

// Calls on a process, the first argument; 0 is the caller itself.
constexpr std::uint32_t kCallsOnOthers[] = {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler,
                                            SYS_sched_setparam, SYS_sched_setattr};

constexpr std::uint32_t kSharedMemoryCalls[] = {SYS_memfd_create, SYS_shmget, SYS_shmat};

constexpr std::uint32_t kNamespaceFlags =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

constexpr std::uint32_t low_half(unsigned argument) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
}

class Filter {
 public:
  void begin() {
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
    emit(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    load_number();
    jump(BPF_JGE, kX32Bit, 0, 1);
    refuse(ENOSYS);
  }

  void deny(std::uint32_t number, int error = EPERM) {
    jump(BPF_JEQ, number, 0, 1);
    refuse(error);
  }

  // Refuses when (argument & mask) equals value. Only the low 32 bits count, as for the kernel: they are all
  // ints.
  void deny_when(std::uint32_t number, unsigned argument, std::uint32_t mask, std::uint32_t value) {
    jump(BPF_JEQ, number, 0, 5);
    emit(BPF_LD | BPF_W | BPF_ABS, low_half(argument));
    emit(BPF_ALU | BPF_AND | BPF_K, mask);
    jump(BPF_JEQ, value, 0, 1);
    refuse(EPERM);
    load_number();
  }

  void deny_unless(std::uint32_t number, unsigned argument, std::uint32_t value) {
    jump(BPF_JEQ, number, 0, 4);
    emit(BPF_LD | BPF_W | BPF_ABS, low_half(argument));
    jump(BPF_JEQ, value, 1, 0);
    refuse(EPERM);
    load_number();
  }

  void deny_any_bit(std::uint32_t number, unsigned argument, std::uint32_t bits) {
    jump(BPF_JEQ, number, 0, 4);
    emit(BPF_LD | BPF_W | BPF_ABS, low_half(argument));
    jump(BPF_JSET, bits, 0, 1);
    refuse(EPERM);
    load_number();
  }

  template <std::size_t N>
  void deny_all(const std::uint32_t (&numbers)[N]) {
    for (const std::uint32_t number : numbers) deny(number);
  }

  Complaint install() {
    emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      return failed("cannot install the seccomp filter");
    return {};
  }

 private:
  void emit(unsigned code, std::uint32_t value) {
    code_.push_back(sock_filter{static_cast<std::uint16_t>(code), 0, 0, value});
  }
  void jump(unsigned test, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back(
        sock_filter{static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), if_true, if_false, value});
  }
  void load_number() { emit(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
  void refuse(int error) { emit(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

  std::vector<sock_filter> code_;
};

void refuse_base(Filter& filter) {
  filter.deny_any_bit(SYS_clone, 0, kNamespaceFlags | CLONE_PARENT);
  // Its flags lie in memory, where a filter cannot look; the C library then falls back to clone.
  filter.deny(SYS_clone3, ENOSYS);
  filter.deny_unless(SYS_socket, 0, AF_UNIX);
  filter.deny_unless(SYS_socketpair, 0, AF_UNIX);
  for (const std::uint32_t option : std::initializer_list<std::uint32_t>{PR_SET_PDEATHSIG, PR_SET_PTRACER}) {
    filter.deny_when(SYS_prctl, 0, 0xffffffff, option);
  }
  for (const std::uint32_t request : std::initializer_list<std::uint32_t>{TIOCSTI, TIOCLINUX}) {
    filter.deny_when(SYS_ioctl, 1, 0xffffffff, request);
  }
  filter.deny_all(kRefused);
}

void refuse_attributes(Filter& filter) {
  filter.deny_all(kAttributeCalls);
  for (const std::uint32_t number : kCallsOnOthers) filter.deny_unless(number, 0, 0);
  filter.deny_unless(SYS_setpriority, 0, PRIO_PROCESS);
  filter.deny_unless(SYS_setpriority, 1, 0);
  filter.deny(SYS_ioprio_set);
}

void refuse_sockets(Filter& filter) {
  filter.deny(SYS_connect);
  // A datagram socket may send to any path without connecting. AF_UNIX takes SOCK_RAW for the same.
  constexpr std::uint32_t kTypeMask = 0xf;
  for (const std::uint32_t number : std::initializer_list<std::uint32_t>{SYS_socket, SYS_socketpair}) {
    for (const std::uint32_t type : std::initializer_list<std::uint32_t>{SOCK_DGRAM, SOCK_RAW}) filter.deny_when(number, 1, kTypeMask, type);
  }
}

void refuse_shared_memory(Filter& filter) {
  filter.deny_all(kSharedMemoryCalls);
  filter.deny_when(SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS);
}

}  // namespace

Complaint apply_seccomp(unsigned sets) {
  Filter filter;
  filter.begin();
  refuse_base(filter);
  if ((sets & kSeccompAttributes) != 0) refuse_attributes(filter);
  if ((sets & kSeccompSockets) != 0) refuse_sockets(filter);
  if ((sets & kSeccompShared) != 0) refuse_shared_memory(filter);
  return filter.install();
}

}  // namespace ka::os
