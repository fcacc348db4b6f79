/*
 * interpreter - run a program at the bottom of Python's stack, as python(1) would.
 *
 * When a cell's request comes, the process is deep inside our own Python code. Foreign code must
 * not see that code below itself (tracebacks, sys._getframe(), inspect), and must not reach our
 * objects. So the program runs on a thread state of its own, with an empty stack, and we drop the
 * old one; the GIL, the modules and the main thread's identity stay.
 *
 * The rest does the work of Py_RunMain(), with the same functions. The end is CPython's own,
 * Py_FinalizeEx(): it joins threads, runs atexit's handlers, stops daemon threads, flushes streams,
 * collects garbage, and reports errors in its own words. We replace only its last part, finalizing
 * all modules, which would free every object of every module that the nursery imported, 60 ms of
 * copied pages for nothing. We finalize only the program's own modules, and collect what only they
 * held.
 *
 * It calls the C API of CPython 3.9 and later through pointers that the guest looked up, without
 * linking. Objects are opaque here.
 *
 * Runs: the program of a cell, confined, holding the GIL. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_INTERPRETER_H
#define GLOVEBOX_INSIDE_INTERPRETER_H

/* Functions of the C API, in this order (Python/C API reference). */
struct python_api {
	/* thread states */
	void *(*thread_state)(void);
	void *(*thread_state_swap)(void *);
	void *(*thread_state_new)(void *);
	void (*thread_state_delete)(void *);
	void *(*thread_state_dict)(void);
	void (*enter_tracing)(void *); /* Python 3.11; before that NULL, see tracing_at */
	void *(*interpreter_main)(void);
	int (*set_running)(void *);      /* Python 3.13; before that NULL */
	void (*set_not_running)(void *); /* the same */
	/* running */
	void *(*run_file)(void *, const char *, int, void *, void *, int, void *);
	void *(*compile)(const char *, void *, int, void *, int);
	void *(*eval_code)(void *, void *, void *);
	int (*audit)(const char *, const char *, ...);
	int (*is_initialized)(void);
	int (*finalize)(void);
	int (*flush)(void *); /* fflush */
	/* exceptions */
	int (*exception_matches)(void *); /* the pending one */
	void (*exception_fetch)(void **, void **, void **);
	void (*exception_restore)(void *, void *, void *);
	void (*exception_normalize)(void **, void **, void **);
	void (*exception_print)(void); /* not for SystemExit, which would end the process */
	void (*exception_clear)(void);
	void (*write_unraisable)(void *);
	/* objects */
	void *(*object_call)(void *, void *, void *);
	void *(*call_with)(void *, ...); /* arguments, then NULL */
	void *(*call_method)(void *, const char *, const char *, ...);
	void *(*get_attribute)(void *, const char *);
	int (*write_object)(void *, void *, int); /* to a Python file */
	int (*print_object)(void *, void *, int); /* to a FILE */
	void (*write_stderr)(const char *, ...);
	int (*is_true)(void *);
	long (*long_value)(void *);
	int (*contains)(void *, void *);
	void *(*next)(void *); /* of an iterator; NULL: at its end, or an error is set */
	void *(*type)(void *);
	unsigned long (*type_flags)(void *);
	int (*dict_set)(void *, const char *, void *);
	int (*dict_delete)(void *, const char *);
	void *(*system_object)(const char *); /* borrowed */
	int (*set_system_object)(const char *, void *);
	void *(*capsule_new)(void *, const char *, void (*)(void *));
	void *(*function_new)(void *, void *, void *);
	void (*hold)(void *);    /* Py_IncRef */
	void (*release)(void *); /* Py_DecRef */
	/* addresses of these objects */
	void *keyboard_interrupt;
	void *system_exit;
	int ends_with_first; /* Python 3.13: ends with the state that the interpreter began with */
	unsigned tracing_at; /* offset of a thread state's count of tracer calls; 0: unknown */
};

/*
 * The code to run: exactly one of file, string and callable is set. The rest is needed around it;
 * the guest prepares it, and it is called from an empty stack.
 */
struct python_program {
	void *file;         /* FILE * */
	int close;          /* close the file after reading it */
	int any_interrupt;  /* a class below KeyboardInterrupt interrupts, too */
	const char *name;   /* its name in tracebacks */
	const char *string; /* UTF-8, of -c */
	void *code;         /* the string, compiled; NULL: not compiled yet */
	void *string_name;  /* "<string>" */
	void *remember; /* Python 3.13: callable(code, text, name), for tracebacks; NULL before */
	void *text;     /* the string, for `remember` */
	void *callable; /* called with `arguments`, a tuple */
	void *arguments;
	void *globals; /* of __main__, for file and string; held only while a file runs */
	void *none;
	void *stderr_file; /* FILE * */
	void *unraisable;  /* sys.unraisablehook as it was */
	void *forget; /* callable: returns an iterator of callables, which end the program's modules
		       */
	void *text_stream; /* io.TextIOWrapper */
	void *stdout_name; /* "sys.stdout" */
};

/*
 * python_run - drop the thread state, run, end the process.
 * Runs: the program of a cell, confined, holding the GIL.
 */
__attribute__((noreturn)) void python_run(const struct python_api *api,
					  const struct python_program *program);

#endif
