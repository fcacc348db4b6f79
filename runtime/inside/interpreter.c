/*
 * interpreter - run a program at the bottom of Python's stack, as python(1) would.
 */
#include "inside/interpreter.h"

#include <stddef.h>

#include "inside/interpreter_end.h"

/*
 * PyGILState_Ensure() finds the state that was made while the thread had none: so delete ours
 * before making the new one.
 *
 * Since 3.13 Python's main thread ends with the state that is part of the interpreter, which its
 * first releases give only to the very first thread state: so no other state may exist in between
 * (Python/pystate.c). Before 3.13 the interpreter's last state cannot be deleted, so a third one is
 * current meanwhile.
 */
static void interpreter_leave_our_stack(const struct python_api *api)
{
	void *interpreter = api->interpreter_main();
	void *between = api->ends_with_first ? NULL : api->thread_state_new(interpreter);
	void *fresh;

	if (api->set_not_running)
		api->set_not_running(interpreter);
	api->thread_state_delete(api->thread_state_swap(between));
	fresh = api->thread_state_new(interpreter);
	api->thread_state_swap(fresh);
	if (between)
		api->thread_state_delete(between);
	if (api->set_running)
		api->set_running(interpreter);
}

#define FILE_INPUT    257   /* Py_file_input */
#define IGNORE_COOKIE 0x800 /* PyCF_IGNORE_COOKIE: the text of -c is UTF-8 */
#define NO_PREFERENCE (-1)  /* use the interpreter's level of optimisation */

struct compiler_flags {
	int flags;
	int minor_version; /* used for trees only */
};

/* Like run_mod() for -c, which is not exported (Python/pythonrun.c). */
static void *interpreter_run_string(const struct python_api *api, const struct python_program *p)
{
	struct compiler_flags flags = {.flags = IGNORE_COOKIE};
	void *result = NULL;
	void *code = p->code;

	if (!code)
		code = api->compile(p->string, p->string_name, FILE_INPUT, &flags, NO_PREFERENCE);
	if (!code)
		return NULL;
	if ((!p->remember || api->call_with(p->remember, code, p->text, p->string_name, NULL)) &&
	    !api->audit("exec", "O", code))
		result = api->eval_code(code, p->globals, p->globals);
	if (code != p->code)
		api->release(code);
	return result;
}

static void *interpreter_run(const struct python_api *api, const struct python_program *p)
{
	if (p->file)
		return api->run_file(p->file, p->name, FILE_INPUT, p->globals, p->globals, p->close,
				     NULL);
	if (p->string)
		return interpreter_run_string(api, p);
	return api->object_call(p->callable, p->arguments, NULL);
}

#define IS_INTEGER (1UL << 24) /* Py_TPFLAGS_LONG_SUBCLASS */
#define RAW        1           /* Py_PRINT_RAW */

/* Write to sys.stderr, or to C's stderr if that is missing; ignore failures. */
static void interpreter_say(const struct python_api *api, const struct python_program *p,
			    void *text)
{
	void *stream = api->system_object("stderr");

	if (stream && stream != p->none)
		api->write_object(text, stream, RAW);
	else
		api->print_object(text, p->stderr_file, RAW);
	api->exception_clear();
	api->write_stderr("\n");
}

/* Like handle_system_exit(): an exit code that is not a number is printed. */
static int interpreter_status_of(const struct python_api *api, const struct python_program *p,
				 void *error)
{
	void *code = api->get_attribute(error, "code");
	int status = 1;

	api->exception_clear();
	if (!code) {
		interpreter_say(api, p, error);
		return 1;
	}
	if (code == p->none)
		status = 0;
	else if (api->type_flags(api->type(code)) & IS_INTEGER)
		status = (int)api->long_value(code);
	else
		interpreter_say(api, p, code);
	api->release(code);
	return status;
}

static int interpreter_exit_status(const struct python_api *api, const struct python_program *p)
{
	void *type;
	void *value;
	void *trace;
	int status;

	api->exception_fetch(&type, &value, &trace);
	api->exception_normalize(&type, &value, &trace);
	status = interpreter_status_of(api, p, value);
	api->exception_clear();
	/* The traceback holds the program's variables, which must be freed. */
	api->release(value);
	api->release(trace);
	api->release(type);
	return status;
}

/* A script's name is removed once it has run, except after SystemExit. */
static void interpreter_unname(const struct python_api *api, const struct python_program *p)
{
	static const char *const names[] = {"__file__", "__cached__"};

	for (int i = 0; p->file && i < 2; i++) {
		if (api->dict_delete(p->globals, names[i]))
			api->exception_clear();
	}
}

/* Like the part of Py_RunMain() after a program: the pending exception tells how it ended. */
static int interpreter_end_of(const struct python_api *api, const struct python_program *p,
			      void *result, int *interrupted)
{
	void *type;
	void *value;
	void *trace;
	int status;

	*interrupted = 0;
	if (!result && api->exception_matches(api->system_exit))
		return interpreter_exit_status(api, p);
	status = result ? 0 : 1;
	if (!result) {
		*interrupted = api->exception_matches(api->keyboard_interrupt);
		api->exception_fetch(&type, &value, &trace);
		*interrupted &= p->any_interrupt || type == api->keyboard_interrupt;
		api->exception_restore(type, value, trace);
		api->exception_print();
	} else {
		api->release(result); /* runpy returns the program's variables */
	}
	interpreter_unname(api, p);
	return status;
}

void python_run(const struct python_api *api, const struct python_program *program)
{
	int interrupted;
	int status;
	void *result;
	void *type;
	void *value;
	void *trace;

	interpreter_leave_our_stack(api);
	if (program->file)
		api->hold(program->globals);
	result = interpreter_run(api, program);
	if (program->file) {
		api->exception_fetch(&type, &value, &trace);
		interpreter_flush(api);
		api->exception_restore(type, value, trace);
	}
	status = interpreter_end_of(api, program, result, &interrupted);
	if (program->file)
		api->release(program->globals);
	interpreter_end(api, program, status, interrupted);
}
