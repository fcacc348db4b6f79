/*
 * root_limits - the files from which a program learns how much machine it has.
 *
 * A sandbox has a size of its own, and libraries choose pools, caches and spills by what they read:
 * /proc/meminfo, stat, cpuinfo, loadavg and uptime (proc(5)), the limits below /sys/fs/cgroup, in
 * the form of the hierarchy that /proc/self/cgroup names, and the CPUs of /sys/devices/system/cpu.
 * All are texts, written when the root is built: they say what there is, and do not follow what is
 * used. Of the host they show the kind of CPU and the time of its boot.
 *
 * As many CPUs are listed as the quota pays for. The affinity stays what it is: pinned, two
 * sandboxes would share a CPU while another one is idle.
 *
 * Runs: monitor, client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_ROOT_LIMITS_H
#define GLOVEBOX_HOST_ROOT_LIMITS_H

#include "host/root_ops.h"

/* Make /sys, with these files only. */
void root_limits_add_sys(struct root_plan *plan);

/* Cover the files of /proc: after ROOT_PROC, before ROOT_PROC_CLOSE; plan->text_place exists. */
void root_limits_add_proc(struct root_plan *plan);

#endif
