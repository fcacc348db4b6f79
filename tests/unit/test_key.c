/*
 * test_key - which runs a warm cell can serve, and which nursery's.
 */
#include "unit.h"

#include "base/own.h"
#include "inside/cell.h"
#include "spec/run_settings.h"
#include "wire/key.h"

#define WORDS 8

static struct sandbox_spec spec;
static struct sandbox s;
static int directory;
static char *variables[16];

static void new_file(const char *path, mode_t mode)
{
	unit_write(directory, path, "", 0);
	assert_int_equal(fchmodat(directory, path, mode, 0), 0);
}

/* An image with several Pythons, and a sandbox that a warm cell could serve. */
static int new_sandbox(void **state)
{
	(void)state;
	directory = unit_enter();
	assert_int_equal(mkdirat(directory, "usr", 0755), 0);
	assert_int_equal(mkdirat(directory, "usr/bin", 0755), 0);
	assert_int_equal(mkdirat(directory, "opt", 0755), 0);
	assert_int_equal(mkdirat(directory, "opt/python3", 0755), 0);
	new_file("usr/bin/python3.12", 0755);
	new_file("opt/python3.9", 0755);
	new_file("usr/bin/sh", 0755);
	new_file("usr/bin/python3.1", 0644); /* not a program */
	assert_int_equal(symlinkat("python3.12", directory, "usr/bin/python3"), 0);
	assert_int_equal(symlinkat("/usr/bin/python3", directory, "usr/bin/python"), 0);
	assert_int_equal(symlinkat("/usr/bin/sh", directory, "opt/python"), 0);
	assert_int_equal(symlinkat("../../../../../opt/python3.9", directory, "opt/up"), 0);
	spec_init(&spec);
	s = (struct sandbox){
		.spec = &spec,
		.map = {.inside_uid = 1000,                      .inside_gid = 1000         },
		.program = {.search_path = "/missing:/usr/bin:/opt", .env = {.items = variables}},
	};
	s.image.root_fd = openat(directory, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	s.image.config.id = "sha256:1";
	return 0;
}

static int end_sandbox(void **state)
{
	(void)state;
	if (s.image.root_fd >= 0)
		close(s.image.root_fd);
	spec_fini(&spec);
	unit_leave(directory);
	return 0;
}

static const char *refusal(const char *const *words, unsigned *skip, uint64_t *timeout_ms)
{
	size_t count = 0;

	while (words[count])
		count++;
	s.program.argv = (struct string_list){(char **)words, count};
	*skip = 77;
	*timeout_ms = 77;
	return warm_refusal(&s, skip, timeout_ms);
}

static void test_command_lines(void **state)
{
	static const char *const options = "@key_refuse_arguments#options";
	static const char *const incomplete = "incomplete";
	static const char *const not_python = "not a Python";
	const struct {
		const char *words[WORDS];
		const char *why; /* NULL: a cell serves it */
	} table[] = {
		{{"python3"},				      NULL      },
		{{"python3", "-"},                                 NULL      },
		{{"python3", "-", "-x"},                           NULL      },
		{{"python3", "-u"},                                NULL      },
		{{"python3", "-u", "-"},                           NULL      },
		{{"python3", "-u", "-u", "-c", "pass"},            NULL      },
		{{"python3", "script.py"},                         NULL      },
		{{"python3", "script.py", "-I", "--help"},         NULL      },
		{{"python3", "-u", "script.py", "-c"},             NULL      },
		{{"python3", "-c", "print(1)"},                    NULL      },
		{{"python3", "-c", ""},                            NULL      },
		{{"python3", "-c", "print(1)", "-E"},              NULL      },
		{{"python3", "-cprint(1)"},                        NULL      },
		{{"python3", "-m", "json.tool"},                   NULL      },
		{{"python3", "-mjson.tool", "-h"},                 NULL      },
		{{"python3", "-u", "-m", "json.tool"},             NULL      },
		{{"python3", "-c"},                                incomplete},
		{{"python3", "-m"},                                incomplete},
		{{"python3", "-u", "-c"},                          incomplete},
		{{"python3", "-I"},                                options   },
		{{"python3", "-I", "script.py"},                   options   },
		{{"python3", "-E", "-c", "pass"},                  options   },
		{{"python3", "-u", "-S", "script.py"},             options   },
		{{"python3", "-O", "script.py"},                   options   },
		{{"python3", "-X", "dev", "-c", "pass"},           options   },
		{{"python3", "-W", "error", "script.py"},          options   },
		{{"python3", "-uc", "pass"},                       options   },
		{{"python3", "-Ic", "pass"},                       options   },
		{{"python3", "-V"},                                options   },
		{{"python3", "--version"},                         options   },
		{{"python3", "--"},                                options   },
		{{"python3", "--check-hash-based-pycs", "always"}, options   },
		{{"sh", "-x", "script"},                           not_python},
		{{"ls", "-la"},				    not_python},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t timeout_ms;
		unsigned skip;
		const char *why = refusal(table[i].words, &skip, &timeout_ms);

		if (!why != !table[i].why || (why && !message_is(why, table[i].why)))
			fail_msg("row %zu: %s", i, why ? why : "served");
		assert_int_equal(skip, 0);
		assert_int_equal(timeout_ms, 0);
	}
}

static void test_timeout_in_front(void **state)
{
	const struct {
		const char *words[WORDS];
		uint64_t timeout_ms; /* 0: timeout(1) itself is run */
	} table[] = {
		{{"timeout", "30", "python3", "-c", "pass"},                30000  },
		{{"timeout", "30", "python3"},                              30000  },
		{{"timeout", "30s", "python3", "script.py"},                30000  },
		{{"timeout", "0.5s", "python3", "script.py"},               500    },
		{{"timeout", ".5", "python3", "-"},                         500    },
		{{"timeout", "1.5m", "python3", "-"},                       90000  },
		{{"timeout", "2h", "python3", "-"},                         7200000},
		{{"timeout", "0.001", "python3", "-"},                      1      },
 /* timeout(1) knows no ms, gives 0 a special meaning, and has options */
		{{"timeout", "250ms", "python3", "script.py"},              0      },
		{{"timeout", "0", "python3", "script.py"},                  0      },
		{{"timeout", "0.0001", "python3", "script.py"},             0      },
		{{"timeout", "1d", "python3", "script.py"},                 0      },
		{{"timeout", "-5", "python3", "script.py"},                 0      },
		{{"timeout", "", "python3", "script.py"},                   0      },
		{{"timeout", "30S", "python3", "script.py"},                0      },
		{{"timeout", "1e3", "python3", "script.py"},                0      },
		{{"timeout", "99999999999999999999", "python3", "-"},       0      },
		{{"timeout", "18446744073709551", "python3", "-"},          0      },
		{{"timeout", "-k", "5", "30", "python3", "script.py"},      0      },
		{{"timeout", "--foreground", "30", "python3", "script.py"}, 0      },
		{{"timeout", "-s", "KILL", "30", "python3", "script.py"},   0      },
		{{"timeout", "30"},					 0      },
		{{"timeout"},					       0      },
		{{"/usr/bin/timeout", "30", "python3", "script.py"},        0      },
		{{"Timeout", "30", "python3", "script.py"},                 0      },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint64_t timeout_ms;
		unsigned skip;
		const char *why = refusal(table[i].words, &skip, &timeout_ms);

		if (timeout_ms != table[i].timeout_ms || skip != (timeout_ms ? 2 : 0))
			fail_msg("row %zu: %u words, %llu ms", i, skip,
				 (unsigned long long)timeout_ms);
		if (timeout_ms) {
			assert_null(why);
		} else if (!strcmp(table[i].words[0], "timeout")) {
			assert_non_null(strstr(why, "timeout SECONDS COMMAND"));
		} else if (!why) { /* then the command is no Python, and has no key */
			auto_buf struct buf key = {0};

			assert_int_equal(warm_key(&s, table[i].words[skip], &key), -1);
		}
	}
}

/* A time limit in front does not hide the command behind it. */
static void test_options_behind_timeout(void **state)
{
	const char *const options[] = {"timeout", "30", "python3", "-I", "script.py", NULL};
	const char *const no_code[] = {"timeout", "30", "python3", "-c", NULL};
	uint64_t timeout_ms;
	unsigned skip;

	(void)state;
	assert_non_null(strstr(refusal(options, &skip, &timeout_ms), "options"));
	assert_non_null(strstr(refusal(no_code, &skip, &timeout_ms), "incomplete"));
}

static void must_refuse(const char *text)
{
	const char *const words[] = {"python3", "script.py", NULL};
	uint64_t timeout_ms;
	unsigned skip;
	const char *why = refusal(words, &skip, &timeout_ms);

	if (!why || !message_is(why, text))
		fail_msg("no \"%s\" in \"%s\"", text, why ? why : "(served)");
	assert_ptr_equal(warm_refusal_of_limits(&s), why);
	spec_fini(&spec);
	spec_init(&spec);
	assert_null(warm_refusal_of_limits(&s));
}

static void give(const char *name, const char *value)
{
	const struct settings settings = {
		.face = FACE_RUN, .tables = {run_settings_table(&spec)}, .keeper = &spec};
	struct err e;

	accepts(setting_apply(&settings, setting_find(&settings, name, strlen(name)), value, &e),
		name);
}

static void test_limits(void **state)
{
	(void)state;
	assert_null(warm_refusal_of_limits(&s)); /* the defaults, including their rlimits */
	give("cpuset-cpus", "0-1");
	must_refuse("@run_settings#--cpuset-cpus");
	give("cpu-time", "1s");
	must_refuse("@run_settings#--cpuset-cpus");
	spec.limits.memory_bytes = SPEC_UNLIMITED;
	must_refuse("@key_refuse_limits#--memory");
	spec.limits.pids = SPEC_UNLIMITED;
	must_refuse("@key_refuse_limits#--pids-limit");
	spec.limits.cpu_quota_us = SPEC_UNLIMITED;
	must_refuse("@key_refuse_limits#--cpus");
	spec.seccomp = SECCOMP_UNCONFINED;
	must_refuse("filter");
	spec.seccomp = SECCOMP_PROFILE;
	must_refuse("filter");
	/* Other sizes make no difference. */
	spec.limits.memory_bytes = 1ull << 30;
	spec.limits.pids = 1;
	spec.limits.cpu_quota_us = 50000;
	spec.limits.wall_time_ms = 1000;
	spec.limits.output_bytes = 1;
	assert_null(warm_refusal_of_limits(&s));
}

static void test_ulimit(void **state)
{
	static const char *const limits[] = {"nofile=1024:4096", "core=0", "nice=0", "cpu=-1"};

	(void)state;
	for (size_t i = 0; i < COUNT(limits); i++) {
		give("ulimit", limits[i]);
		must_refuse("--ulimit");
	}
}

/*
 * A Python that lies elsewhere than in the directories that are always refused, with its library
 * beside it.
 */
static void test_mounts_over_a_python_elsewhere(void **state)
{
	static const char *const over[] = {"/opt/conda", "/opt/conda/lib/python3.12", "/opt"};
	static const char *const beside[] = {"/opt/condas", "/code", "/op"};
	static const char python[] = "/opt/conda/bin/python3";

	(void)state;
	assert_int_equal(mkdirat(directory, "opt/conda", 0755), 0);
	assert_int_equal(mkdirat(directory, "opt/conda/bin", 0755), 0);
	new_file("opt/conda/bin/python3", 0755);
	for (size_t i = 0; i < COUNT(over); i++) {
		spec_add_mount(&spec, MOUNT_BIND, beside[i]);
		assert_null(warm_refusal_of_python(&s, python));
		spec_add_mount(&spec, MOUNT_BIND, over[i]);
		assert_non_null(strstr(warm_refusal_of_python(&s, python), "mount"));
		assert_null(warm_refusal_of_python(&s, "python3"));
		spec_fini(&spec);
		spec_init(&spec);
	}
}

static void test_why_a_python_is_none(void **state)
{
	(void)state;
	assert_null(warm_refusal_of_python(&s, "python3"));
	assert_string_equal(warm_refusal_of_python(&s, "sh"), WARM_NOT_A_PYTHON);
	assert_string_equal(warm_refusal_of_python(&s, "missing"), WARM_NOT_A_PYTHON);
	new_file("usr/pyvenv.cfg", 0644);
	assert_says(warm_refusal_of_python(&s, "python3"), "@warm_refusal_of_python#virtual");
}

static void test_what_a_python_is(void **state)
{
	(void)state;
	assert_int_equal(warm_look_at_python(&s, "python3"), WARM_PYTHON_FITS);
	assert_int_equal(warm_look_at_python(&s, "sh"), WARM_PYTHON_IS_NONE);
	assert_int_equal(warm_look_at_python(&s, "missing"), WARM_PYTHON_IS_NONE);
	new_file("usr/pyvenv.cfg", 0644);
	assert_int_equal(warm_look_at_python(&s, "python3"), WARM_PYTHON_IS_VENV);
	unlinkat(directory, "usr/pyvenv.cfg", 0);
	spec_add_mount(&spec, MOUNT_BIND, "/usr/bin");
	assert_int_equal(warm_look_at_python(&s, "python3"), WARM_PYTHON_IS_HIDDEN);
}

static void test_mounts_of_anybody(void **state)
{
	(void)state;
	spec_add_mount(&spec, MOUNT_TMPFS, "/scratch");
	spec_add_mount(&spec, MOUNT_STAGE, "/output");
	spec_add_mount(&spec, MOUNT_BIND, "/workspace");
	s.map.privileged = true;
	assert_null(warm_refusal_of_limits(&s));
	s.map.privileged = false;
	assert_null(warm_refusal_of_limits(&s));
}

/* Returns the key with these variables; valid for the next seven calls. */
static const char *key_with(const char *python, const char *const *env)
{
	static struct buf keys[8];
	static unsigned next;
	struct buf *key = &keys[next++ % COUNT(keys)];
	size_t count = 0;

	for (; env && env[count]; count++)
		variables[count] = (char *)env[count];
	variables[count] = NULL;
	s.program.env.count = count;
	buf_fini(key);
	return warm_key(&s, python, key) ? NULL : buf_string(key);
}

#define with(...) key_with("python3", (const char *const[]){__VA_ARGS__, NULL})

/* A client of another build starts cold. Owned. */
static char *with_layout(const char *key)
{
	return own_printf("%s\n%d.%zu.%zu", key, CELL_VERSION, sizeof(struct inside_plan),
			  sizeof(struct order));
}

static void test_a_python_by_any_name_is_one(void **state)
{
	static const char *const names[] = {
		"python",
		"python3",
		"python3.12",
		"/usr/bin/python",
		"/usr/bin/python3.12",
		"/usr/../usr/bin/./python3",
	};
	auto_free char *wanted = with_layout("sha256:1\n/usr/bin/python3.12\n1000:1000");
	auto_free char *back = with_layout("sha256:1\n/opt/python3.9\n1000:1000");

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(key_with(names[i], NULL), wanted);
	/* A python further back in PATH, and one behind a link that would lead out of the image. */
	assert_string_equal(key_with("python3.9", NULL), back);
	assert_string_equal(key_with("/opt/up", NULL), back);
}

static void test_what_is_no_python(void **state)
{
	static const char *const names[] = {
		"sh",
		"/usr/bin/sh",
		"/opt/python",
		"python2",
		"/usr/bin/missing",
		"/opt/python3",
		"python3.1",
		"",
		"/",
		"timeout",
		"--",
		"-c",
		"/usr/bin",
		"script.py",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (key_with(names[i], NULL))
			fail_msg("a Python: \"%s\"", names[i]);
	}
	s.program.search_path = "";
	assert_null(key_with("python3", NULL));
	s.program.search_path = ":/usr/bin:"; /* an empty entry is not the current directory */
	assert_non_null(key_with("python3", NULL));
}

static void test_image_and_user_are_in_the_key(void **state)
{
	const char *plain = key_with("python3", NULL);

	(void)state;
	s.map.inside_uid = 1001;
	assert_string_not_equal(key_with("python3", NULL), plain);
	s.map.inside_uid = 1000;
	s.map.inside_gid = 1001;
	assert_string_not_equal(key_with("python3", NULL), plain);
	s.map.inside_gid = 1000;
	s.image.config.id = "sha256:2";
	assert_string_not_equal(key_with("python3", NULL), plain);
	s.image.config.id = "sha256:1";
	/* Who owns it on the host makes no difference. */
	s.map.host_uid = 77;
	assert_string_equal(key_with("python3", NULL), plain);
}

static void test_variables_that_are_read_once(void **state)
{
	static const char *const read_once[] = {
		"PYTHONPATH=/x",
		"PYTHONHASHSEED=0",
		"LC_ALL=C",
		"LANG=C",
		"LANGUAGE=de",
		"LD_PRELOAD=x.so",
		"LD_LIBRARY_PATH=/x",
		"GLIBC_TUNABLES=a",
		"MALLOC_ARENA_MAX=1",
		"MPLBACKEND=agg",
		"MPLCONFIGDIR=/x",
		"HOME=/x",
		"XDG_CACHE_HOME=/x",
		"MKL_NUM_THREADS=1",
		"NUMEXPR_MAX_THREADS=1",
		"NUMBA_CACHE_DIR=/x",
		"NPY_DISABLE_CPU_FEATURES=x",
		"OPENSSL_CONF=/x",
		"BLAS_X=1",
		"OPENBLAS_NUM_THREADS=1",
		"OMP_NUM_THREADS=1",
		"TZDIR=/x",
		"LANG=",
	};
	static const char *const others[] = {
		"TZ=UTC",
		"PATH=/bin",
		"TERM=x",
		"HOMER=/x",
		"LANGU=x",
		"TZDIRS=/x",
		"MY_PYTHON=1",
		"python=1",
		"MPLBACKENDS=1",
		"HOM=E=1",
		"USER=PYTHON",
		"X=LC_ALL=C",
		"LD=1",
		"=HOME=/",
		"SSL_CERT_FILE=/x",
		"SSL_CERT_DIR=/x",
		"PYTHONUNBUFFERED=1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(read_once); i++) {
		const char *key = with(read_once[i]);

		if (!strstr(key, read_once[i]))
			fail_msg("not in the key: %s", read_once[i]);
		assert_string_not_equal(key, key_with("python3", NULL));
	}
	for (size_t i = 0; i < COUNT(others); i++)
		assert_string_equal(with(others[i]), key_with("python3", NULL));
}

static void test_order_of_variables_and_others_between(void **state)
{
	(void)state;
	assert_string_equal(with("LANG=C", "HOME=/h", "PYTHONPATH=/p"),
			    with("PYTHONPATH=/p", "X=1", "LANG=C", "HOME=/h", "TZ=UTC"));
	assert_string_not_equal(with("LANG=C"), with("LANG=D"));
	assert_string_not_equal(with("LANG=C"), with("LANG=C", "HOME=/"));
	assert_string_not_equal(with("LANG=C"), with("LANGUAGE=C"));
	assert_string_not_equal(with("LC_A=1", "LC_B=2"), with("LC_A=2", "LC_B=1"));
}

/* On the host image only the distribution's Python counts, not others that are installed. */
static void test_the_image_host(void **state)
{
	char path[sizeof(unit_directory) + 32];

	(void)state;
	close(s.image.root_fd);
	s.image.root_fd = -1;
	s.image.is_host = true;
	s.image.config.id = "host";
	snprintf(path, sizeof(path), "%s/usr/bin/python3", unit_directory);
	assert_null(key_with(path, NULL));
	s.program.search_path = "/usr/bin";
	if (access("/usr/bin/python3", X_OK) == 0)
		assert_int_equal(strncmp(key_with("python3", NULL), "host\n/usr/", 10), 0);
}

int main(void)
{
#define one(test) cmocka_unit_test_setup_teardown(test, new_sandbox, end_sandbox)
	const struct CMUnitTest tests[] = {
		one(test_command_lines),
		one(test_timeout_in_front),
		one(test_options_behind_timeout),
		one(test_limits),
		one(test_ulimit),
		one(test_mounts_over_a_python_elsewhere),
		one(test_why_a_python_is_none),
		one(test_what_a_python_is),
		one(test_mounts_of_anybody),
		one(test_a_python_by_any_name_is_one),
		one(test_what_is_no_python),
		one(test_image_and_user_are_in_the_key),
		one(test_variables_that_are_read_once),
		one(test_order_of_variables_and_others_between),
		one(test_the_image_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
