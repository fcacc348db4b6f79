/*
 * interpreter - run a program at the bottom of Python's stack, as python(1) would.
 */
#include "inside/interpreter.h"

#include <signal.h>

#include "inside/confine.h"
#include "inside/sys.h"

/*
 * PyGILState_Ensure() finds the state that was made for this thread while it had none:
 * so ours is deleted before that is made. In between a third one is current, because
 * the interpreter's last state cannot be deleted (Python/pystate.c).
 */
static void leave_our_stack(const struct python_api *api)
{
	void *interpreter = api->interpreter_main();
	void *between = api->thread_state_new(interpreter);
	void *fresh;

	api->thread_state_delete(api->thread_state_swap(between));
	fresh = api->thread_state_new(interpreter);
	api->thread_state_swap(fresh);
	api->thread_state_delete(between);
}

#define FILE_INPUT   257 /* Py_file_input */
#define FLUSH_FAILED 120

static void *run(const struct python_api *api, const struct python_program *p)
{
	if (p->file)
		return api->run_file(p->file, p->name, FILE_INPUT, p->globals, p->globals, p->close,
				     NULL);
	if (p->string)
		return api->run_string(p->string, FILE_INPUT, p->globals, p->globals, NULL);
	return api->object_call(p->callable, p->arguments, NULL);
}

/* Call what the guest prepared; what it raises is told and goes no further. */
static void *call(const struct python_api *api, void *callable, void *arguments, void *blamed)
{
	void *result = api->object_call(callable, arguments, NULL);

	if (!result)
		api->write_unraisable(blamed);
	return result;
}

static int status_of(const struct python_api *api, const struct python_program *p)
{
	void *type;
	void *value;
	void *trace;
	void *arguments = api->tuple_new(1);
	void *code;

	api->exception_fetch(&type, &value, &trace);
	api->exception_normalize(&type, &value, &trace);
	api->tuple_set(arguments, 0, value); /* takes the reference */
	code = call(api, p->exit_code, arguments, p->exit_code);
	/* The traceback holds the program's variables, which are to die. */
	api->release(arguments);
	api->release(trace);
	api->release(type);
	return code ? (int)api->long_value(code) : 1;
}

/* As flush_std_files(): of stdout a failure is told, of stderr it cannot be. */
static int flush_stream(const struct python_api *api, const struct python_program *p,
			const char *name)
{
	void *stream = api->system_object(name);
	void *closed;

	if (!stream || stream == p->none)
		return 0;
	closed = api->get_attribute(stream, "closed");
	if (closed && api->is_true(closed) > 0)
		return 0;
	api->exception_clear();
	return api->call_method(stream, "flush", NULL) ? 0 : -1;
}

static int flush_streams(const struct python_api *api, const struct python_program *p)
{
	int bad = flush_stream(api, p, "stdout");

	if (bad)
		api->write_unraisable(api->system_object("stdout"));
	if (flush_stream(api, p, "stderr")) {
		api->exception_clear();
		bad = -1;
	}
	return bad;
}

/* As flush_io(): after the program has run, whatever comes of it. */
static void flush_quietly(const struct python_api *api, const struct python_program *p)
{
	if (flush_stream(api, p, "stderr"))
		api->exception_clear();
	if (flush_stream(api, p, "stdout"))
		api->exception_clear();
}

/* A script's name is taken back once it has run, unless by SystemExit. */
static void unname(const struct python_api *api)
{
	static const char *const names[] = {"__file__", "__cached__"};
	void *module = api->dict_get(api->modules(), "__main__");

	for (int i = 0; module && i < 2; i++) {
		if (api->set_attribute(module, names[i], NULL))
			api->exception_clear();
	}
}

/* As wait_for_thread_shutdown(). */
static void join_threads(const struct python_api *api)
{
	void *threading = api->dict_get(api->modules(), "threading");

	if (threading && !api->call_method(threading, "_shutdown", NULL))
		api->write_unraisable(threading);
}

/* As Py_FinalizeEx(), in its order, but for what the nursery had before the program. */
static int finish(const struct python_api *api, const struct python_program *p, int status)
{
	join_threads(api);
	call(api, p->at_exit, p->nothing, p->at_exit);
	if (flush_streams(api, p))
		status = FLUSH_FAILED;
	if (api->enter_tracing) /* what follows is ours, not for the program's tracer */
		api->enter_tracing(api->thread_state());
	call(api, p->forget, p->nothing, p->forget);
	flush_quietly(api, p); /* what was printed meanwhile; a failure has been told */
	api->flush(NULL);
	return status;
}

/* As Py_RunMain(): who started us sees a process that SIGINT ended. */
static void end_interrupted(void)
{
	const struct inside_plan plan = {0};
	struct err e;

	confine_signals(&plan, &e);
	sys2(__NR_kill, sys0(__NR_getpid), SIGINT);
	sys_exit(128 + SIGINT);
}

void python_run(const struct python_api *api, const struct python_program *program)
{
	int interrupted = 0;
	int status = 0;
	void *result;
	void *type;
	void *value;
	void *trace;

	leave_our_stack(api);
	result = run(api, program);
	if (!result)
		api->exception_fetch(&type, &value, &trace);
	flush_quietly(api, program);
	if (!result)
		api->exception_restore(type, value, trace);
	if (!result && api->exception_matches(api->system_exit)) {
		status = status_of(api, program);
	} else {
		interrupted = !result && api->exception_matches(api->keyboard_interrupt);
		if (!result)
			api->exception_print();
		status = result ? 0 : 1;
		unname(api);
	}
	status = finish(api, program, status);
	if (interrupted)
		end_interrupted();
	sys_exit(status);
}
