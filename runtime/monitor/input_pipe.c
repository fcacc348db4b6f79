/*
 * input_pipe - what clients type into a program with, and the monitor reads.
 */
#include "monitor/input_pipe.h"

#include <fcntl.h>
#include <unistd.h>

int input_pipe(int ends[2], struct err *e)
{
	return pipe2(ends, O_CLOEXEC) || fcntl(ends[INPUT_OURS], F_SETFL, O_NONBLOCK)
		       ? err_sys(e, "make the input of the program")
		       : 0;
}
