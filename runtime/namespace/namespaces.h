/*
 * namespaces - explain why the kernel refused a namespace, and name the remedy.
 *
 * The caller of a failed call asks here with the errno. EPERM has nine causes and ENOSPC two; we
 * tell them apart by facts about this process, not by guessing where it runs:
 *
 *   a limit of user_namespaces(7)'s kind      ENOSPC, the sysctls user.max_*_namespaces
 *   a sandbox of ours                         no mount is listed (namespace/container.h)
 *   a chroot                                  our root is not that of our mount namespace
 *   an id that our user namespace lacks       /proc/self/uid_map and gid_map
 *   Debian's switch, AppArmor's switch        two sysctls; they bind those without CAP_SYS_ADMIN
 *   SELinux                                   /sys/fs/selinux/enforce, and EACCES
 *   rights that were taken                    CapEff of /proc/self/status
 *   a container's profile of AppArmor's       /proc/self/attr/current, and EACCES
 *   a system call filter                      Seccomp of /proc/self/status
 *   a kernel without namespaces               nothing in /proc/self/ns
 *   a kernel that is too old                  ENOSYS
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_NAMESPACE_NAMESPACES_H
#define GLOVEBOX_NAMESPACE_NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * namespaces_refused - the error of a call that failed to make namespaces.
 *
 * @wanted  CLONE_NEWUSER and others: all that the call asked for.
 * @what    the failed action: "clone the sandbox".
 * errno must be that call's. Returns -1: ERR_UNSUPPORTED with cause and remedy, or ERR_SYSTEM if
 * the errno has another meaning (EAGAIN, ENOMEM). May start a short-lived process to find out which
 * namespace is refused.
 */
int namespaces_refused(uint64_t wanted, const char *what, struct err *e);

/*
 * namespaces_explain - the same for an error that a step inside has reported: only that step knows
 * which call failed, and only we can find the cause. CLONE_NEWPID stands for its /proc
 * (fresh_proc.h). Other errors stay as they are.
 */
void namespaces_explain(struct err *e);

/*
 * namespaces_is_mapped - whether our user namespace has this id.
 * @file  /proc/self/uid_map or gid_map. True if it cannot be read.
 */
bool namespaces_is_mapped(const char *file, unsigned long id);

/*
 * namespaces_check_kernel - whether the kernel is new enough: its mount_setattr(2), of Linux 5.12,
 * is the newest call that every sandbox needs. Checked first, it gives one reason instead of many.
 * Returns 0, or -1: ERR_UNSUPPORTED.
 */
int namespaces_check_kernel(struct err *e);

/*
 * namespaces_no_clone - the same for a mount that could not be cloned: a detached copy counts as a
 * mount namespace, and root needs a right for it. Other errnos concern @path.
 */
int namespaces_no_clone(const char *path, struct err *e);

/*
 * namespaces_try - whether a process of ours can make all of these: tries it in a short-lived
 * child. 0, or -1 with errno.
 */
int namespaces_try(uint64_t wanted);

#endif
