/*
 * caps - give up every capability in all five sets, and check that they are gone.
 *
 * Until here the process holds all of them over its own user namespace (never over the host's). Pid
 * 1 gives up the bounding set and the secure bits once, before it forks the program, which inherits
 * both; with the secure bits uid 0, if -u 0 asked for it, is a number like any other
 * (capabilities(7)).
 */
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/securebits.h>

#include "inside/confine.h"
#include "inside/sys.h"

#define LOCKED_BITS (SECURE_ALL_BITS & ~issecure_mask(SECURE_KEEP_CAPS)) | SECURE_ALL_LOCKS

/*
 * A nursery keeps these over its own user namespace: to give a cell ids of its own, to make
 * namespaces and mounts, to bring lo up, to fill a root, and to give all of them up again.
 */
#define BIT(cap) (1ull << (cap))
#define NURSERY_CAPS                                                                               \
	(BIT(CAP_SYS_ADMIN) | BIT(CAP_NET_ADMIN) | BIT(CAP_SYS_CHROOT) | BIT(CAP_SETPCAP) |        \
	 BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_CHOWN) | BIT(CAP_SETUID) |              \
	 BIT(CAP_SETGID))

static int caps_drop_bounding(uint64_t kept, struct err *e)
{
	/* Find the number of capabilities by trying: EINVAL is beyond the last. */
	for (long cap = 0; cap < 64; cap++) {
		long n = kept & BIT(cap) ? 0 : sys2(__NR_prctl, PR_CAPBSET_DROP, cap);

		if (n == -EINVAL)
			return cap ? 0 : inside_fail(e, n, "drop capabilities", NULL);
		if (n < 0)
			return inside_fail(e, n, "drop a capability from the bounding set", NULL);
	}
	return 0;
}

int confine_bounding(const struct inside_plan *plan, struct err *e)
{
	long n;

	if (plan->is_nursery)
		return caps_drop_bounding(NURSERY_CAPS, e);
	n = sys2(__NR_prctl, PR_SET_SECUREBITS, LOCKED_BITS);
	return n < 0 ? inside_fail(e, n, "set the secure bits", NULL) : caps_drop_bounding(0, e);
}

static int caps_verify(struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{~0u, ~0u, ~0u},
                {~0u, ~0u, ~0u}
        };
	long n = sys2(__NR_capget, &header, data);

	if (n < 0)
		return inside_fail(e, n, "read capabilities back", NULL);
	for (int i = 0; i < 2; i++) {
		if (data[i].effective | data[i].permitted | data[i].inheritable)
			return inside_fail(e, -EPERM, "capabilities are still held", NULL);
	}
	for (long cap = 0; cap < 64; cap++) {
		n = sys2(__NR_prctl, PR_CAPBSET_READ, cap);
		if (n == -EINVAL)
			break;
		if (n != 0 ||
		    sys5(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) != 0)
			return inside_fail(e, -EPERM, "capabilities are still bounded or ambient",
					   NULL);
	}
	return 0;
}

int confine_caps(const struct inside_plan *plan, struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}, {0}};
	long n;

	/* pid 1 of a nursery left the nursery's capabilities in the bounding set. */
	if (plan->is_nursery && caps_drop_bounding(0, e))
		return -1;
	n = sys5(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (n < 0)
		return inside_fail(e, n, "clear ambient capabilities", NULL);
	n = sys2(__NR_capset, &header, none);
	if (n < 0)
		return inside_fail(e, n, "drop capabilities", NULL);
	return caps_verify(e);
}

/*
 * Pid 1 of a cell enters the root of its session's program (hide_mounts.c), if its first order says
 * so. An ambient capability survives the execve of cell-init; the program's own steps clear it.
 */
int confine_door_cap(const struct inside_plan *plan, struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};
	long n = sys2(__NR_capget, &header, data);

	(void)plan;
	data[0].inheritable |= (uint32_t)BIT(CAP_SYS_CHROOT);
	if (n >= 0)
		n = sys2(__NR_capset, &header, data);
	if (n >= 0)
		n = sys5(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_CHROOT, 0, 0);
	return n < 0 ? inside_fail(e, n, "keep the capability to enter a root", NULL) : 0;
}

/* Ambient capabilities survive execve. */
int confine_nursery_caps(const struct inside_plan *plan, struct err *e)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};
	long n;

	(void)plan;
	data[0].effective = data[0].permitted = data[0].inheritable = (uint32_t)NURSERY_CAPS;
	n = sys2(__NR_capset, &header, data);
	for (long cap = 0; n >= 0 && cap < 32; cap++) {
		if (NURSERY_CAPS & BIT(cap))
			n = sys5(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
	}
	return n < 0 ? inside_fail(e, n, "keep the capabilities of a nursery", NULL) : 0;
}

int confine_no_new_privs(const struct inside_plan *plan, struct err *e)
{
	long n = sys5(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	(void)plan;
	return n < 0 ? inside_fail(e, n, "set no_new_privs", NULL) : 0;
}
