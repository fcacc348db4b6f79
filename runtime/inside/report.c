/*
 * report - tell the host's side of what happens behind the boundary.
 */
#include "inside/report.h"

#include <sys/socket.h>

#include "inside/sys.h"

void inside_report(const struct inside_plan *plan, const struct report *r)
{
	sys_write(plan->control_fd, r, sizeof(*r));
}

long inside_send_fd(const struct inside_plan *plan, enum report_kind kind, int fd)
{
	struct report r = {.kind = kind};
	struct iovec iov = {.iov_base = &r, .iov_len = sizeof(r)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	long n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	*(int *)CMSG_DATA(header) = fd;
	n = sys3(__NR_sendmsg, plan->control_fd, &message, MSG_NOSIGNAL);
	return n < 0 ? n : 0;
}

__attribute__((noreturn)) void inside_give_up(const struct inside_plan *plan, struct report *r)
{
	r->kind = REPORT_ERROR;
	inside_report(plan, r);
	sys_exit(125);
}
