/*
 * root_limits - files that tell a program the size of its sandbox.
 *
 * A sandbox has a size of its own, and libraries choose pools, caches and spills by what they read:
 * /proc/meminfo, stat, cpuinfo, loadavg and uptime (proc(5)), the limits below /sys/fs/cgroup, in
 * the form of the hierarchy that /proc/self/cgroup names, and the CPUs of /sys/devices/system/cpu.
 * All are static texts, written when the root is built: they show capacity, not current use. Of the
 * host they show the CPU model and the boot time.
 *
 * They list as many CPUs as the quota pays for. The affinity is unchanged: pinned, two sandboxes
 * would share a CPU while another one is idle.
 *
 * Runs: monitor, client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOT_ROOT_LIMITS_H
#define GLOVEBOX_ROOT_ROOT_LIMITS_H

#include "root/root_ops.h"

/* Make /sys, with these files only. */
void root_limits_add_sys(struct root_plan *plan);

/* Cover the files of /proc: after ROOT_PROC, before ROOT_PROC_CLOSE; plan->text_place exists. */
void root_limits_add_proc(struct root_plan *plan);

#endif
