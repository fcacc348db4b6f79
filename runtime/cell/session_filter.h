/*
 * session_filter - the system call filter of a session's code: the shipped one, and what it
 * takes to enter a branch (policy/python.json, rules with "caps").
 *
 * Pure data.
 */
#ifndef GLOVEBOX_CELL_SESSION_FILTER_H
#define GLOVEBOX_CELL_SESSION_FILTER_H

#include <linux/filter.h>

struct sock_fprog session_filter_program(void);

#endif
