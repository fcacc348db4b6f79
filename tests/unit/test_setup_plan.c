/*
 * test_setup_plan - what `glovebox setup user` would do, step by step.
 */
#include "unit.h"

#include "admin/setup_plan.h"

#define DROP_IN  "/etc/systemd/system/user@1001.service.d/glovebox.conf"
#define TMPFILES "/etc/tmpfiles.d/glovebox-user-1001.conf"
#define DELEGATE "[Service]\nDelegate=yes\n"
#define ACCOUNT  "MemoryAccounting=yes\nTasksAccounting=yes\nCPUAccounting=yes\n"
#define OLD_TOP  "/sys/fs/cgroup/memory/glovebox-1001"
#define CPUSET   "/sys/fs/cgroup/cpuset"
#define SLICE    "/sys/fs/cgroup/memory/user.slice/user-1001.slice/user@1001.service/glovebox/user"
#define HOLDS                                                                                      \
	"say it holds from the next boot on, or at once with: systemctl restart "                  \
	"user@1001.service (which ends what ada runs)\n"
#define MARK            SETUP_MARK " ada.\n"
#define BACK            "undo rm -d " DROP_IN " /etc/systemd/system/user@1001.service.d\n"
#define BACK_AND_RELOAD BACK "undo systemctl daemon-reload\n"
#define BACK_IDS        "?undo usermod --del-subuids 165536-231071 --del-subgids 165536-231071 ada\n"

static struct setup_facts facts(enum setup_layout layout)
{
	return (struct setup_facts){
		.user = "ada",
		.uid = 1001,
		.gid = 1002,
		.layout = layout,
		.hierarchies = 0x3f,
		.has_systemd = true,
		.has_apt = true,
		.has_uidmap = true,
		.has_subids = true,
		.lingers = true,
		.free_subid = 165536,
	};
}

/* The steps as text, without what people get to see of a file. */
static const char *plan(const struct setup_facts *f)
{
	static char text[4096];
	auto_setup_steps struct setup_steps p = {0};
	struct err e;

	if (setup_plan_make(f, &p, &e))
		return strcpy(text, e.text);
	*text = '\0';
	for (size_t i = 0; i < p.count; i++) {
		const struct setup_step *s = &p.items[i];
		char *end = text + strlen(text);

		end += sprintf(end, "%s%s%s", s->optional ? "?" : "",
			       s->kind == SETUP_WRITE    ? "write "
			       : s->kind == SETUP_LATER  ? "later"
			       : s->kind == SETUP_BACK   ? "undo"
			       : s->kind == SETUP_REMOVE ? "remove "
			       : s->kind == SETUP_SAY    ? "say "
							 : "run",
			       s->text ? s->text : "");
		for (size_t j = 0; j < s->words.count; j++)
			end += sprintf(end, " %s", s->words.items[j]);
		sprintf(end, "\n%s", s->content ? s->content : "");
	}
	return text;
}

static void test_v2_delegates_everything(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	assert_string_equal(plan(&f), "write " DROP_IN "\n" MARK DELEGATE
				      "run systemctl daemon-reload\n" HOLDS BACK_AND_RELOAD);
}

static void test_what_is_missing_is_added(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.lingers = f.has_subids = f.has_uidmap = false;
	assert_string_equal(plan(&f),
			    "write " DROP_IN "\n" MARK DELEGATE
			    "?run usermod --add-subuids 165536-231071 --add-subgids 165536-231071 "
			    "ada\n"
			    "run systemctl daemon-reload\n"
			    "run loginctl enable-linger ada\n" HOLDS
			    "?run apt-get -qq update\n"
			    "?run apt-get -qq --simulate install uidmap\n"
			    "?run apt-get -qq -o Dpkg::Use-Pty=0 install --yes uidmap\n"
			    "undo loginctl disable-linger ada\n" BACK_AND_RELOAD BACK_IDS);
}

static void test_v1_makes_groups_in_the_slice_whenever_it_begins(void **state)
{
	struct setup_facts f = facts(SETUP_V1);

	(void)state;
	f.hierarchies = 1;
	assert_string_equal(plan(&f),
			    "write " DROP_IN "\n" MARK DELEGATE ACCOUNT
			    "ExecStartPre=-+mkdir -p -m 711 " SLICE
			    "\n"
			    "ExecStartPre=-+chown 1001:1002 " SLICE " " SLICE "/tasks " SLICE
			    "/cgroup.procs\n"
			    "run systemctl daemon-reload\n" HOLDS BACK_AND_RELOAD);
	f.hierarchies = 1 | 1 << 4;
	assert_non_null(strstr(plan(&f), "undo rmdir " CPUSET "/glovebox-1001/user " CPUSET
					 "/glovebox-1001\n" BACK_AND_RELOAD));
}

static void test_v1_without_systemd_makes_them_now_and_says_so(void **state)
{
	struct setup_facts f = facts(SETUP_V1);
	const char *text;

	(void)state;
	f.hierarchies = 1 << 4;
	f.has_systemd = false;
	text = plan(&f);
	assert_non_null(strstr(text, "run mkdir -p -m 711 " CPUSET "/glovebox-1001/user\n"
				     "run chown 1001:1002 " CPUSET "/glovebox-1001/user " CPUSET
				     "/glovebox-1001/user/tasks " CPUSET
				     "/glovebox-1001/user/cgroup.procs\n"
				     "run cp " CPUSET "/cpuset.cpus " CPUSET "/cpuset.mems " CPUSET
				     "/glovebox-1001\n"
				     "run cp " CPUSET "/glovebox-1001/cpuset.cpus " CPUSET
				     "/glovebox-1001/cpuset.mems " CPUSET "/glovebox-1001/user\n"));
	assert_true(message_is(text, "@setup_plan_say_when#again ada"));
	assert_non_null(strstr(text, "undo rmdir " CPUSET "/glovebox-1001/user " CPUSET
				     "/glovebox-1001\n" BACK));
	assert_null(strstr(text, "daemon-reload"));
}

static void test_what_an_earlier_glovebox_gave_is_taken_back(void **state)
{
	struct setup_facts f = facts(SETUP_V1);
	const char *text;

	(void)state;
	f.hierarchies = f.old_groups = 1;
	f.has_tmpfiles = true;
	text = plan(&f);
	assert_non_null(strstr(text, "remove " TMPFILES "\n"
				     "run chown -R 0:0 " OLD_TOP "\n"
				     "?run rmdir " OLD_TOP "\n"));
	f.has_systemd = false;
	assert_non_null(strstr(plan(&f), "run chown -R 0:0 " OLD_TOP "\n"
					 "run mkdir -p -m 711 " OLD_TOP "/user\n"));
}

static void test_of_a_system_elsewhere_nothing_is_run(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.lingers = f.has_subids = false;
	f.is_elsewhere = true;
	assert_string_equal(
		plan(&f), "write " DROP_IN "\n" MARK DELEGATE
			  "?later usermod --add-subuids 165536-231071 --add-subgids 165536-231071 "
			  "ada\n"
			  "later loginctl enable-linger ada\n"
			  "undo loginctl disable-linger ada\n" BACK_AND_RELOAD BACK_IDS);
	f.layout = SETUP_V1;
	f.hierarchies = f.old_groups = 1;
	f.has_subids = f.lingers = true;
	assert_string_equal(plan(&f), "write " DROP_IN "\n" MARK DELEGATE ACCOUNT
				      "ExecStartPre=-+mkdir -p -m 711 " SLICE
				      "\n"
				      "ExecStartPre=-+chown 1001:1002 " SLICE " " SLICE
				      "/tasks " SLICE "/cgroup.procs\n" BACK_AND_RELOAD);
}

static void test_where_nothing_can_be_given(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.has_systemd = false;
	assert_true(message_is(plan(&f), "@setup_plan_make#systemd"));
	f.layout = SETUP_V1;
	f.hierarchies = 0; /* all are mounted read-only */
	assert_true(message_is(plan(&f), "@setup_plan_make#control"));
	f.layout = SETUP_NO_CGROUPS;
	assert_true(message_is(plan(&f), "@setup_plan_make#control"));
	f.uid = 0;
	assert_true(message_is(plan(&f), "@setup_plan_make#needs"));
}

static void test_a_missing_program_is_known_before_the_first_step(void **state)
{
	struct setup_facts f = facts(SETUP_V2);
	auto_setup_steps struct setup_steps p = {0};
	int root = unit_enter();
	struct err e;

	(void)state;
	f.has_subids = f.has_uidmap = false; /* their steps are optional */
	assert_int_equal(setup_plan_make(&f, &p, &e), 0);
	assert_int_equal(setup_steps_check(&p, root, &e), -1);
	assert_true(message_is(e.text, "@setup_steps_check"));
	assert_non_null(strstr(e.text, "systemctl"));
	assert_int_equal(mkdirat(root, "bin", 0755), 0);
	close(openat(root, "bin/systemctl", O_CREAT | O_WRONLY, 0755));
	assert_int_equal(setup_steps_check(&p, root, &e), 0);
	unit_leave(root);
}

/* -- a machine of which any step may fail ------------------------------------------------------ */

struct machine {
	bool has_file;
	bool lingers;
	bool has_ids;
	unsigned groups; /* mkdir's, without rmdir's */
	unsigned steps;  /* made so far */
	unsigned broken; /* this one fails */
};

/* Root's hand, or that of setup: a command does what it says. */
static void perform(struct machine *m, const struct list *words)
{
	const char *program = words->items[0];
	const char *verb = words->items[1];

	if (!strcmp(program, "loginctl"))
		m->lingers = *verb == 'e';
	else if (!strcmp(program, "usermod"))
		m->has_ids = verb[2] == 'a';
	else if (!strcmp(program, "mkdir"))
		m->groups = (unsigned)words->count - 4;
	else if (!strcmp(program, "rmdir"))
		m->groups = 0;
	else if (!strcmp(program, "rm"))
		m->has_file = false;
}

static int act(const struct setup_step *s, void *context, struct err *e)
{
	struct machine *m = context;
	const unsigned step = ++m->steps;

	if (step == m->broken)
		return err_set(e, ERR_SYSTEM, "step %u", step);
	if (s->kind == SETUP_WRITE)
		m->has_file = true;
	else if (s->kind == SETUP_RUN)
		perform(m, &s->words);
	return 0;
}

/* Returns how many steps it made before root performed the commands that take them back. */
static unsigned set_up_and_take_back(struct machine *m, const struct setup_facts *from,
				     unsigned broken)
{
	struct setup_facts f = *from;
	auto_setup_steps struct setup_steps p = {0};
	struct err e;
	unsigned steps;

	f.lingers = m->lingers;
	f.has_subids = m->has_ids;
	m->broken = broken;
	assert_int_equal(setup_plan_make(&f, &p, &e), 0);
	setup_steps_carry_out(&p, act, m, &e);
	steps = m->steps;
	for (size_t i = 0; i < p.count; i++)
		if (p.items[i].kind == SETUP_BACK)
			perform(m, &p.items[i].words);
	return steps;
}

/* What somebody else has given stays. */
static void test_what_is_printed_takes_back_all_that_any_failure_leaves(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct setup_facts f = facts(i < 4 ? SETUP_V1 : SETUP_V2);
		const bool had = i & 1;
		unsigned broken = 0;
		unsigned steps;

		f.has_systemd = i >= 2;
		do {
			struct machine m = {.lingers = had || !f.has_systemd, .has_ids = had};

			steps = set_up_and_take_back(&m, &f, ++broken);
			assert_false(m.has_file);
			assert_int_equal(m.groups, 0);
			assert_int_equal(m.lingers, had || !f.has_systemd);
			assert_int_equal(m.has_ids, had);
		} while (broken <= steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2_delegates_everything),
		cmocka_unit_test(test_what_is_missing_is_added),
		cmocka_unit_test(test_v1_makes_groups_in_the_slice_whenever_it_begins),
		cmocka_unit_test(test_v1_without_systemd_makes_them_now_and_says_so),
		cmocka_unit_test(test_what_an_earlier_glovebox_gave_is_taken_back),
		cmocka_unit_test(test_of_a_system_elsewhere_nothing_is_run),
		cmocka_unit_test(test_what_is_printed_takes_back_all_that_any_failure_leaves),
		cmocka_unit_test(test_where_nothing_can_be_given),
		cmocka_unit_test(test_a_missing_program_is_known_before_the_first_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
