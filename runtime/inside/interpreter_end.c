/*
 * interpreter_end - the end of a program: as python(1) ends, except for the nursery's modules.
 *
 * Py_FinalizeEx() does everything that a program can observe (Python/pylifecycle.c):
 *
 *     join threads, run atexit's handlers, stop daemon threads
 *     delete the states of other threads      ours is one of them: flush_comes()
 *     flush sys.stdout and sys.stderr
 *     collect garbage
 *     finalize modules                        first sys's attributes, LAST_TAKEN last: modules_go()
 *
 * This process skips the rest from there. The hooks are destructors of objects without other
 * references, so a program does not find them. A program that reaches them all the same, or a
 * process that it forked meanwhile, finalizes fully, which only takes longer.
 */
#include "inside/interpreter_end.h"

#include <signal.h>

#include "inside/confine.h"
#include "inside/memory_holder.h"
#include "inside/sys.h"

#define FLUSH_FAILED 120
#define ONE_ARGUMENT 0x8 /* METH_O */
#define LAST_TAKEN   "__interactivehook__"

static struct {
	const struct python_api *api;
	const struct python_program *program;
	int status;
	int interrupted;
	void *hook;  /* sys.unraisablehook while ours is installed; held; NULL: none */
	void *taken; /* LAST_TAKEN of sys while ours is installed; the same */
} end;

static int interpreter_end_flush_stream(const char *name)
{
	const struct python_api *api = end.api;
	void *stream = api->system_object(name);
	void *closed;

	if (!stream || stream == end.program->none)
		return 0;
	closed = api->get_attribute(stream, "closed");
	if (closed && api->is_true(closed) > 0)
		return 0;
	api->exception_clear();
	return api->call_method(stream, "flush", NULL) ? 0 : -1;
}

void interpreter_flush(const struct python_api *api)
{
	static const char *const names[] = {"stderr", "stdout"};

	for (int i = 0; i < 2; i++) {
		void *stream = api->system_object(names[i]);
		void *result = stream ? api->call_method(stream, "flush", NULL) : NULL;

		if (result)
			api->release(result);
		api->exception_clear();
	}
}

/* Like exit_sigint(): our parent sees a process that SIGINT ended. */
static void interpreter_end_interrupted(void)
{
	const struct inside_plan plan = {0};
	struct err e;

	confine_signals(&plan, &e);
	sys2(__NR_kill, sys0(__NR_getpid), SIGINT);
	sys_exit(128 + SIGINT);
}

__attribute__((noreturn)) static void interpreter_end_leave(void)
{
	end.api->flush(NULL);
	if (end.interrupted)
		interpreter_end_interrupted();
	memory_holder_leave();
	sys_exit(end.status);
}

/*
 * Whether CPython reports that sys.stdout could not be flushed, the only reason for it to return
 * -1. Until Python 3.12 the hook gets the object, later a message that names it.
 */
static int interpreter_end_is_of_stdout(void *about)
{
	const struct python_api *api = end.api;
	void *object = api->get_attribute(about, "object");
	void *message = api->get_attribute(about, "err_msg");
	int is = (object && object == api->system_object("stdout")) ||
		 (message && api->contains(message, end.program->stdout_name) > 0);

	api->exception_clear(); /* testing `in` on None raises; drop that error */
	return is;
}

static void *interpreter_end_unraisable(void *self, void *about)
{
	(void)self;
	if (interpreter_end_is_of_stdout(about))
		end.status = FLUSH_FAILED;
	if (!end.hook || end.hook == end.program->none) /* CPython uses its own hook then */
		return end.api->call_with(end.program->unraisable, about, NULL);
	return end.api->call_with(end.hook, about, NULL);
}

/* CPython flushes sys.stderr without a message: flush again to see whether that fails. */
static void interpreter_end_look_at_stderr(void)
{
	void *stream = end.api->system_object("stderr");

	if (stream && end.api->type(stream) == end.program->text_stream &&
	    interpreter_end_flush_stream("stderr")) {
		end.api->exception_clear();
		end.status = FLUSH_FAILED;
	}
}

/* The code that follows is ours, so the program's tracer must not see it. */
static void interpreter_end_stop_tracing(void)
{
	const struct python_api *api = end.api;
	char *state = api->thread_state();
	int *calls = (void *)(state + api->tracing_at);

	if (api->enter_tracing)
		api->enter_tracing(state);
	else if (api->tracing_at)
		++*calls;
}

static void interpreter_end_forget(void)
{
	const struct python_api *api = end.api;
	void *steps = api->call_with(end.program->forget, NULL);
	void *step;

	while (steps && (step = api->next(steps))) {
		void *result = api->call_with(step, NULL);

		if (result)
			api->release(result);
		else
			api->write_unraisable(step);
		api->release(step);
	}
	api->exception_clear();
}

/* CPython finalizes modules next: finalize only the program's. */
static void interpreter_end_modules_go(void *capsule)
{
	const struct python_api *api = end.api;

	(void)capsule;
	if (api->is_initialized())
		return;
	api->set_system_object("unraisablehook", end.hook);
	if (end.taken)
		api->release(end.taken);
	interpreter_end_look_at_stderr();
	interpreter_end_stop_tracing();
	interpreter_end_forget();
	interpreter_flush(api); /* output printed meanwhile; a failure was already reported */
	interpreter_end_leave();
}

static void *interpreter_end_held(const char *name)
{
	void *object = end.api->system_object(name);

	if (object)
		end.api->hold(object);
	return object;
}

/* CPython flushes the streams next. */
static void interpreter_end_flush_comes(void *capsule)
{
	static const struct {
		const char *name;
		void *(*function)(void *, void *);
		int flags;
		const char *doc;
	} method = {"unraisablehook", interpreter_end_unraisable, ONE_ARGUMENT,
		    NULL}; /* PyMethodDef */
	const struct python_api *api = end.api;
	void *last;

	(void)capsule;
	if (api->is_initialized())
		return;
	end.hook = interpreter_end_held("unraisablehook");
	api->set_system_object("unraisablehook", api->function_new((void *)&method, NULL, NULL));
	end.taken = interpreter_end_held(LAST_TAKEN);
	last = api->capsule_new(&end, NULL, interpreter_end_modules_go);
	api->set_system_object(LAST_TAKEN, last);
	api->release(last);
}

static void interpreter_end_leave_hook(void)
{
	const struct python_api *api = end.api;
	void *state = api->thread_state_new(api->interpreter_main());
	void *ours = api->thread_state_swap(state);
	void *capsule = api->capsule_new(&end, NULL, interpreter_end_flush_comes);

	api->dict_set(api->thread_state_dict(), "glovebox", capsule);
	api->release(capsule);
	api->thread_state_swap(ours);
}

void interpreter_end(const struct python_api *api, const struct python_program *program, int status,
		     int interrupted)
{
	end.api = api;
	end.program = program;
	end.status = status;
	end.interrupted = interrupted;
	if (api->set_not_running)
		api->set_not_running(api->interpreter_main());
	interpreter_end_leave_hook();
	if (api->finalize() < 0)
		end.status = FLUSH_FAILED;
	interpreter_end_leave();
}
