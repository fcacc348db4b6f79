/*
 * code_verdict - how code that a session's interpreter ran has ended, in every face.
 *
 * Plain data. How a whole sandbox has ended is spec/verdict.h.
 */
#ifndef GLOVEBOX_BASE_CODE_VERDICT_H
#define GLOVEBOX_BASE_CODE_VERDICT_H

enum code_verdict {
	CODE_OK,        /* it ran to its end */
	CODE_ERROR,     /* an exception ended it */
	CODE_EXIT,      /* it called sys.exit() */
	CODE_TIMEOUT,   /* its time limit */
	CODE_MEMORY,    /* the session's memory limit; the session is lost */
	CODE_CRASHED,   /* the interpreter exited by itself; the session is lost */
	CODE_CANCELLED, /* a signal, or its caller, interrupted it */
};

#endif
