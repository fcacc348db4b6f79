/*
 * test_kept_record - records of sandboxes that stay: written, found by any of their names, judged
 * by whether their monitor lives, and removed.
 */
#include "unit.h"

#include <sys/wait.h>

#include "loop/clock.h"
#include "monitor/record_keep.h"
#include "record/record_names.h"
#include "record/record_remove.h"

#define ID_A  "aaaa000000000000000000000000000000000000000000000000000000000001"
#define ID_A2 "aaaa000000000000000000000000000000000000000000000000000000000002"
#define ID_B  "bbbb000000000000000000000000000000000000000000000000000000000003"

static int top; /* of the state */
static char run_word[] = "run";
static char *const words[] = {run_word};
static const struct record_origin origin = {.words = words, .count = 1, .directory = "/"};

static int set_up(void **state)
{
	static unsigned number;
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/%u", unit_directory, number++);
	setenv("XDG_STATE_HOME", path, 1);
	return mkdir(path, 0700);
}

/* A record of this process's; @name: NULL: none. */
static int keep(const char *id, const char *name, struct record_kept *out, struct err *e)
{
	char program[] = "say \"x\"\n";
	struct sandbox_spec spec;
	struct sandbox s = {
		.spec = &spec, .program.argv = {(char *[]){program}, 1}
        };
	int result;

	spec_init(&spec);
	spec.name = name ? spec_strdup(&spec, name) : NULL;
	spec.image = spec_strdup(&spec, "image");
	snprintf(s.id, sizeof(s.id), "%s", id);
	result = record_keep(&s, &origin, out, e);
	spec_fini(&spec);
	return result;
}

static struct record_kept kept(const char *id, const char *name)
{
	struct record_kept k;
	struct err e;

	accepts(keep(id, name, &k, &e), id);
	return k;
}

static struct record found(const char *word)
{
	struct record r;
	struct err e;

	accepts(record_find(word, &r, &e), word);
	return r;
}

static void assert_finds(const char *word, const char *id, enum record_state state)
{
	struct record r = found(word);

	assert_string_equal(r.id, id);
	if (r.state != state)
		fail_msg("%s is %s", word, record_state_name(r.state));
	record_fini(&r);
}

static void assert_finds_none(const char *word)
{
	struct record r;
	struct err e;

	refuses(record_find(word, &r, &e), word, ERR_NOT_FOUND, word);
	record_fini(&r);
}

static void run(struct record_kept *k)
{
	const struct sandbox s = {.output_fd = -1};
	struct err e;

	accepts(record_running(k, &s, RECORD_RUNNING, &e), "running");
}

static void end(struct record_kept *k, int exit_code)
{
	const struct buf result = {.data = (char *)"{\"verdict\":\"exited\"}", .length = 20};
	struct err e;

	accepts(record_ended(k, exit_code, &result, NULL, &e), "ended");
	record_end_keeping(k);
}

static void test_a_record_has_its_states(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record r;

	(void)state;
	assert_finds("one", ID_A, RECORD_STARTING);
	run(&k);
	assert_finds("one", ID_A, RECORD_RUNNING);
	end(&k, 7);
	r = found("one");
	assert_int_equal(r.state, RECORD_EXITED);
	assert_int_equal(record_exit_code(&r), 7);
	assert_string_equal(record_name(&r), "one");
	assert_string_equal(json_string_at(r.what, "image"), "image");
	assert_string_equal(json_string_at(json_get(r.how, "result"), "verdict"), "exited");
	record_fini(&r);
}

static void test_a_monitor_that_is_gone_has_lost_it(void **state)
{
	struct record_kept k = kept(ID_A, "one");

	(void)state;
	run(&k);
	record_end_keeping(&k);
	assert_finds("one", ID_A, RECORD_LOST);
	k = kept(ID_B, "two");
	record_end_keeping(&k);
	assert_finds("two", ID_B, RECORD_LOST);
}

static void test_why_it_never_ran(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record r;
	struct err e;
	struct err why;

	(void)state;
	err_set(&why, ERR_GONE, "the reason");
	accepts(record_ended(&k, 125, NULL, &why, &e), "ended");
	record_end_keeping(&k);
	r = found("one");
	assert_non_null(strstr(json_string_at(r.how, "error"), "the reason"));
	assert_int_equal(record_exit_code(&r), 125);
	record_fini(&r);
}

static void test_another_name(void **state)
{
	struct record_kept a = kept(ID_A, "one");
	struct record_kept b = kept(ID_B, "other");
	struct err e;

	(void)state;
	refuses(record_names_change(a.dir, a.id, a.name, "other", &e), "taken", ERR_EXISTS,
		"other");
	refuses(record_names_change(a.dir, a.id, a.name, "one", &e), "its own", ERR_INPUT, "same");
	assert_string_equal(a.name, "one");
	accepts(record_names_change(a.dir, a.id, a.name, "two", &e), "two");
	assert_string_equal(a.name, "two");
	assert_finds("two", ID_A, RECORD_STARTING);
	assert_finds_none("one");
	accepts(record_names_change(b.dir, b.id, b.name, "one", &e), "one");
	assert_finds("one", ID_B, RECORD_STARTING);
	record_discard(&a);
	assert_finds_none("two");
	record_discard(&b);
	assert_finds_none("one");
}

static void test_names_and_beginnings(void **state)
{
	struct record_kept a = kept(ID_A, "one");
	struct record_kept a2 = kept(ID_A2, NULL);
	struct record_kept b = kept(ID_B, "aaaa");
	struct record r;
	struct err e;

	(void)state;
	assert_finds("one", ID_A, RECORD_STARTING);
	assert_finds(ID_A, ID_A, RECORD_STARTING);
	assert_finds("b", ID_B, RECORD_STARTING);
	assert_finds("aaaa", ID_B, RECORD_STARTING); /* a name comes before a beginning */
	refuses(record_find("aaaa0", &r, &e), "aaaa0", ERR_INPUT, "2 ids");
	refuses(record_find("a", &r, &e), "a", ERR_INPUT, "2 ids");
	assert_finds_none("on");
	assert_finds_none("cccc");
	assert_finds_none("../names");
	assert_finds_none(".");
	assert_finds_none(ID_A "0");
	refuses(record_find("", &r, &e), "", ERR_NOT_FOUND, "");
	record_end_keeping(&a);
	record_end_keeping(&a2);
	record_end_keeping(&b);
}

static void test_without_any_there_is_none(void **state)
{
	struct err e;
	unsigned count = 0;

	(void)state;
	assert_finds_none("one");
	accepts(record_each(NULL, &count, &e), "none");
}

static void test_a_name_is_taken_until_its_record_is_removed(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record_kept other;
	struct record r;
	struct err e;

	(void)state;
	refuses(keep(ID_B, "one", &other, &e), "running", ERR_EXISTS, "/one");
	assert_finds_none("bbbb");
	run(&k);
	end(&k, 0);
	refuses(keep(ID_B, "one", &other, &e), "ended", ERR_EXISTS, "/one");
	r = found("one");
	accepts(record_remove(&r, &e), "ended");
	record_fini(&r);
	assert_finds_none("one");
	other = kept(ID_B, "one");
	record_discard(&other);
	assert_finds_none("one");
	assert_finds_none("bbbb");
}

static void test_an_id_is_one_record(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record_kept other;
	struct err e;

	(void)state;
	refuses(keep(ID_A, "two", &other, &e), "again", ERR_SYSTEM, "");
	assert_finds("one", ID_A, RECORD_STARTING);
	assert_finds_none("two");
	record_end_keeping(&k);
}

static void test_what_runs_is_not_removed(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record r = found("one");
	struct err e;

	(void)state;
	refuses(record_remove(&r, &e), "starting", ERR_BUSY, "one");
	record_fini(&r);
	run(&k);
	r = found("one");
	refuses(record_remove(&r, &e), "running", ERR_BUSY, "one");
	record_fini(&r);
	record_end_keeping(&k);
	r = found("one");
	accepts(record_remove(&r, &e), "lost");
	record_fini(&r);
}

/* A record that was found goes on to say what its directory has. */
static void test_waiting_for_the_end(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record r = found("one");
	struct err e;
	pid_t pid;

	(void)state;
	run(&k);
	refuses(record_await_end(&r, 0, &e), "running", ERR_BUSY, "one");
	pid = fork();
	if (!pid) {
		clock_pause_us(20000);
		_exit(record_ended(&k, 3, NULL, NULL, &e) ? 1 : 0);
	}
	record_end_keeping(&k); /* the child has it */
	accepts(record_await_end(&r, UINT64_MAX, &e), "ending");
	assert_int_equal(record_exit_code(&r), 3);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	record_fini(&r);
}

static void test_it_starts_anew(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record_kept again;
	struct err e;

	(void)state;
	run(&k);
	refuses(record_keep_again(ID_A, &again, &e), "running", ERR_BUSY, "one");
	end(&k, 7);
	accepts(record_keep_again(ID_A, &again, &e), "ended");
	assert_string_equal(again.name, "one");
	err_set(&e, ERR_GONE, "the reason");
	record_failed(&again, 125, &e);
	record_end_keeping(&again);
	assert_finds("one", ID_A, RECORD_EXITED);
	refuses(record_keep_again(ID_B, &again, &e), "none", ERR_NOT_FOUND, ID_B);
}

struct seen {
	unsigned count;
	char ids[4][RECORD_ID];
};

static void look(void *context, const struct record *r)
{
	struct seen *s = context;

	snprintf(s->ids[s->count++ & 3], RECORD_ID, "%s", r->id);
}

static void test_the_newest_is_listed_first(void **state)
{
	struct record_kept a = kept(ID_A, "one");
	struct seen s = {0};
	struct record_kept b;
	struct err e;

	(void)state;
	clock_pause_us(2000); /* times are of milliseconds */
	b = kept(ID_B, "two");
	accepts(record_each(look, &s, &e), "two");
	assert_int_equal(s.count, 2);
	assert_string_equal(s.ids[0], ID_B);
	assert_string_equal(s.ids[1], ID_A);
	record_end_keeping(&a);
	record_end_keeping(&b);
}

static void path_of(const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/glovebox/%s", getenv("XDG_STATE_HOME"), name);
}

/* What lies there and is no record is neither found nor listed. */
static void test_other_files_are_no_records(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct seen s = {0};
	char path[600];
	struct err e;

	(void)state;
	path_of("sandboxes/" ID_B, path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
	assert_finds_none("bbbb");
	path_of("sandboxes/" ID_B "/record", path, sizeof(path));
	unit_write(AT_FDCWD, path, "{\"id\":\"" ID_A "\"}", 74);
	assert_finds_none("bbbb"); /* the record of another */
	path_of("sandboxes/" ID_A2, path, sizeof(path));
	assert_int_equal(symlink(ID_A, path), 0);
	assert_finds(ID_A, ID_A, RECORD_STARTING);
	assert_finds_none(ID_A2);
	path_of("names/link", path, sizeof(path));
	assert_int_equal(symlink("../../../etc", path), 0);
	assert_finds_none("link");
	accepts(record_each(look, &s, &e), "one");
	assert_int_equal(s.count, 1);
	record_end_keeping(&k);
}

static void test_directories_that_others_may_write_to_are_refused(void **state)
{
	struct record_kept k = kept(ID_A, "one");
	struct record_kept other;
	struct record r;
	char path[600];
	struct err e;

	(void)state;
	path_of("sandboxes", path, sizeof(path));
	assert_int_equal(chmod(path, 0777), 0);
	refuses(record_find("one", &r, &e), "find", ERR_INPUT, "sandboxes");
	refuses(keep(ID_B, "two", &other, &e), "keep", ERR_INPUT, "sandboxes");
	record_end_keeping(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_record_has_its_states, set_up),
		cmocka_unit_test_setup(test_a_monitor_that_is_gone_has_lost_it, set_up),
		cmocka_unit_test_setup(test_why_it_never_ran, set_up),
		cmocka_unit_test_setup(test_names_and_beginnings, set_up),
		cmocka_unit_test_setup(test_another_name, set_up),
		cmocka_unit_test_setup(test_without_any_there_is_none, set_up),
		cmocka_unit_test_setup(test_a_name_is_taken_until_its_record_is_removed, set_up),
		cmocka_unit_test_setup(test_an_id_is_one_record, set_up),
		cmocka_unit_test_setup(test_what_runs_is_not_removed, set_up),
		cmocka_unit_test_setup(test_waiting_for_the_end, set_up),
		cmocka_unit_test_setup(test_it_starts_anew, set_up),
		cmocka_unit_test_setup(test_the_newest_is_listed_first, set_up),
		cmocka_unit_test_setup(test_other_files_are_no_records, set_up),
		cmocka_unit_test_setup(test_directories_that_others_may_write_to_are_refused,
				       set_up),
	};
	int failed;

	top = unit_enter();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unit_leave(top);
	return failed;
}
