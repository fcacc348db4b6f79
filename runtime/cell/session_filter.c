/*
 * session_filter - the system call filter of a session's code, compiled by the build.
 */
#include "cell/session_filter.h"

#include "python_caps_filter.h"

struct sock_fprog session_filter_program(void)
{
	return (struct sock_fprog){sizeof(python_caps_filter) / sizeof(python_caps_filter[0]),
				   (struct sock_filter *)python_caps_filter};
}
