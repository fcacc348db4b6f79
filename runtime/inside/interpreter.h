/*
 * interpreter - run a program at the bottom of Python's stack, as python(1) would.
 *
 * A cell is deep inside our own Python code when its request comes. Foreign code
 * must not find that below it (tracebacks, sys._getframe(), inspect), and must not
 * find our objects. So the program runs on a thread state of its own, whose stack
 * is empty, and the old one is dropped; everything else (the GIL, the modules, the
 * main thread's identity) stays.
 *
 * What follows is what Py_RunMain() does, from the functions that it is made of,
 * but for one thing: it does not take the interpreter to pieces. Py_FinalizeEx()
 * frees every object of every module that the nursery imported, 60 ms of
 * copied pages for nothing. Here only what the program made is ended: threads are
 * joined, atexit handlers run, the program's modules go and what only they held is
 * collected, streams are flushed.
 *
 * Calls the C API of Python 3.9 and later through pointers that the guest looked
 * up, so that nothing is linked. Objects are opaque here.
 */
#ifndef GLOVEBOX_INSIDE_INTERPRETER_H
#define GLOVEBOX_INSIDE_INTERPRETER_H

/* Functions of the C API, in this order (Python/C API reference). */
struct python_api {
	void *(*thread_state_swap)(void *);
	void *(*interpreter_main)(void);
	void *(*thread_state_new)(void *);
	void (*thread_state_delete)(void *);
	void *(*object_call)(void *, void *, void *);
	void *(*run_file)(void *, const char *, int, void *, void *, int, void *);
	void *(*run_string)(const char *, int, void *, void *, void *);
	int (*exception_matches)(void *); /* the one that is set */
	void (*exception_fetch)(void **, void **, void **);
	void (*exception_restore)(void *, void *, void *);
	void (*exception_normalize)(void **, void **, void **);
	void (*exception_print)(void); /* not for SystemExit, which would end us */
	void (*write_unraisable)(void *);
	void *(*tuple_new)(long);
	int (*tuple_set)(void *, long, void *);
	long (*long_value)(void *);
	void *(*system_object)(const char *);
	void *(*call_method)(void *, const char *, const char *, ...);
	void *(*get_attribute)(void *, const char *);
	int (*is_true)(void *);
	int (*set_attribute)(void *, const char *, void *);
	void *(*thread_state)(void);
	void (*enter_tracing)(void *); /* Python 3.11: NULL before */
	void (*exception_clear)(void);
	void *(*modules)(void); /* sys.modules */
	void *(*dict_get)(void *, const char *);
	void (*release)(void *); /* Py_DecRef */
	int (*flush)(void *);    /* fflush */
	void *keyboard_interrupt;
	void *system_exit;
};

/*
 * What to run: exactly one of file, string and callable is set. And what is called
 * around it: prepared by the guest, called from an empty stack.
 */
struct python_program {
	void *file;       /* FILE * */
	int close;        /* it, when it is read */
	const char *name; /* its name in tracebacks */
	const char *string;
	void *callable; /* with `arguments`, a tuple */
	void *arguments;
	void *globals; /* of __main__, for file and string; not held, so that it can die */
	void *nothing; /* an empty tuple */
	void *none;
	void *exit_code; /* callable(SystemExit): the status that it means, its text is printed */
	void *at_exit;   /* callable: atexit's handlers */
	void *forget;    /* callable: the program's modules, and what only they held */
};

/*
 * python_run - drop the thread state, run, end the process.
 * Runs: the program of a cell, confined, holding the GIL.
 */
__attribute__((noreturn)) void python_run(const struct python_api *api,
					  const struct python_program *program);

#endif
