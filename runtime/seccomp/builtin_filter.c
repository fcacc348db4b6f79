/*
 * builtin_filter - the shipped system call filter, compiled from policy/python.json by the build.
 */
#include "seccomp/builtin_filter.h"

#include <linux/filter.h>

#include "python_filter.h"

const struct sock_filter *builtin_filter(unsigned short *length)
{
	*length = sizeof(python_filter) / sizeof(python_filter[0]);
	return python_filter;
}
