/*
 * namespaces - why the kernel refused a namespace, and what to do about it.
 *
 * After a call that failed, its caller asks here with the errno. EPERM has six causes and ENOSPC
 * two; they are told apart by looking at this process, not by guessing from where it runs:
 *
 *   a limit of user_namespaces(7)'s kind      ENOSPC, the sysctls user.max_*_namespaces
 *   a chroot                                  our root is not that of our mount namespace
 *   an id that our user namespace lacks       /proc/self/uid_map and gid_map
 *   Debian's switch, AppArmor's switch        two sysctls; they bind those without CAP_SYS_ADMIN
 *   rights that were taken                    CapEff of /proc/self/status
 *   a system call filter                      Seccomp of /proc/self/status
 *   a kernel without namespaces               nothing in /proc/self/ns
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_NAMESPACES_H
#define GLOVEBOX_HOST_NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * namespaces_refused - the error of a call that should have made namespaces.
 *
 * @wanted  CLONE_NEWUSER and others: all that the call asked for.
 * @what    what should have been done: "clone the sandbox".
 * errno must be that call's. Returns -1: ERR_UNSUPPORTED with cause and remedy, or ERR_SYSTEM if
 * the errno has another meaning (EAGAIN, ENOMEM). May start a short-lived process to find out which
 * of them is refused.
 */
int namespaces_refused(uint64_t wanted, const char *what, struct err *e);

/*
 * namespaces_explain - the same for an error that a step behind the boundary has reported: only
 * that step knows which call failed, and only we can look. Other errors are left as they are.
 */
void namespaces_explain(struct err *e);

/*
 * namespaces_no_clone - the same for a mount that could not be cloned: a detached copy counts as a
 * mount namespace. Other errnos than ENOSPC are about @path.
 */
int namespaces_no_clone(const char *path, struct err *e);

/*
 * namespaces_try - can a process of ours make all of these? A short-lived child tries it.
 * 0, or -1 with errno.
 */
int namespaces_try(uint64_t wanted);

#endif
