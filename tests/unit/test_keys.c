/*
 * test_keys - the file of a server's keys: made, read strictly, read anew while keys are in use.
 */
#include "unit.h"

#include <sys/wait.h>

#include "base/encode.h"
#include "tenant/keys.h"
#include "tenant/keys_command.h"

#define HASH_A                "\"sha256\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""
#define HASH_B                "\"sha256\": \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\""
#define MADE                  "\"created\": \"2026-11-24T00:00:00Z\""
#define KEY(name, hash, more) "{\"name\": \"" name "\", " hash ", " MADE more "}"
#define FILE_OF(keys)         "{\"keys\": [" keys "]}"

static int base = -1;
static struct ceiling shipped;
static struct keys keys;
static struct err e;
static char said[8192]; /* by the last command, on both streams */

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	assert_int_equal(fchdir(base), 0);
	ceiling_init(&shipped);
	keys = (struct keys){0};
	return 0;
}

static int end(void **state)
{
	(void)state;
	keys_fini(&keys);
	ceiling_fini(&shipped);
	assert_int_equal(chdir("/"), 0);
	unit_leave(base);
	return 0;
}

static void write_keys(const char *text)
{
	unit_write(base, "keys.json", text, strlen(text));
}

static void write_ceiling(const char *text)
{
	unit_write(base, "c.json", text, strlen(text));
}

static int load(const char *text)
{
	write_keys(text);
	keys_fini(&keys);
	return keys_load("keys.json", &shipped, &keys, &e);
}

/* Of the keys that are gone nothing is left, but what others hold. */
static int reload_all(void)
{
	struct keys gone;
	int bad = keys_reload("keys.json", &shipped, &keys, &gone, &e);

	for (size_t i = 0; i < gone.count; i++)
		assert_true(gone.items[i]->removed);
	keys_fini(&gone);
	return bad;
}

static int reload(const char *text)
{
	write_keys(text);
	return reload_all();
}

/* Words are separated by spaces. */
static int run_command(const char *words)
{
	char line[512];
	char *argv[16];
	int argc = 0;

	snprintf(line, sizeof(line), "key %s", words);
	for (char *word = strtok(line, " "); word && argc < 15; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return keys_command(argc, argv);
}

static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, 1);
	dup2(null, 2);
	close(null);
}

/* In a process of its own. */
static int command(const char *words)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		int out = open("said", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);

		dup2(out, 1);
		dup2(out, 2);
		_exit(run_command(words));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	snprintf(said, sizeof(said), "%s", unit_read(base, "said"));
	return WEXITSTATUS(status);
}

#define does(words)                                                                                \
	do {                                                                                       \
		if (command(words))                                                                \
			fail_msg("key %s: %s", words, said);                                       \
	} while (0)

#define fails(words, wanted)                                                                       \
	do {                                                                                       \
		assert_int_equal(command(words), 125);                                             \
		if (!message_is(said, wanted))                                                     \
			fail_msg("key %s: no \"%s\" in \"%s\"", words, wanted, said);              \
	} while (0)

/* -- lookup ----------------------------------------------------------------------------------- */

static void test_a_key_is_found_by_itself_only(void **state)
{
	char tokens[20][KEY_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT(tokens); i++) {
		char name[8];

		snprintf(name, sizeof(name), "k%zu", i);
		key_make(&keys, name, false, NULL, tokens[i]);
		assert_int_equal(strlen(tokens[i]), 47);
		assert_memory_equal(tokens[i], "gbx_", 4);
	}
	for (size_t i = 0; i < COUNT(tokens); i++) {
		struct key *key = keys_find(&keys, tokens[i], strlen(tokens[i]));

		assert_ptr_equal(key, keys.items[i]);
		assert_ptr_equal(keys_by_id(&keys, key->id), key);
		assert_ptr_equal(keys_by_name(&keys, key->name), key);
		for (size_t at = 0; at < KEY_BYTES - 1; at++) {
			char wrong[KEY_BYTES];

			memcpy(wrong, tokens[i], sizeof(wrong));
			wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
			assert_null(keys_find(&keys, wrong, KEY_BYTES - 1));
			assert_null(keys_find(&keys, tokens[i], at));
		}
	}
}

static void test_what_is_no_key_finds_nobody(void **state)
{
	char token[KEY_BYTES];
	char longer[KEY_BYTES + 1];

	(void)state;
	key_make(&keys, "a", true, NULL, token);
	snprintf(longer, sizeof(longer), "%sA", token);
	assert_null(keys_find(&keys, "", 0));
	assert_null(keys_find(&keys, longer, KEY_BYTES));
	assert_null(keys_find(&keys, keys.items[0]->id, 64));
	assert_null(keys_find(&keys, keys.items[0]->id, 47));
	assert_null(keys_by_id(&keys, KEY_LOCAL));
}

static void test_the_header_of_a_request(void **state)
{
	static const char *const wrong[] = {"%s",         "Bearer%s",   "Basic %s",  "Bearer %s ",
					    " Bearer %s", "Bearer\t%s", "Bearer %s,"};
	static const char *const right[] = {"Bearer %s", "bearer %s", "BEARER   %s"};
	char token[KEY_BYTES];

	(void)state;
	key_make(&keys, "a", true, NULL, token);
	assert_null(keys_find_bearer(&keys, NULL));
	assert_null(keys_find_bearer(&keys, "Bearer"));
	assert_null(keys_find_bearer(&keys, "Bearer "));
	for (size_t i = 0; i < COUNT(wrong) + COUNT(right); i++) {
		auto_buf struct buf header = {0};
		const char *form = i < COUNT(wrong) ? wrong[i] : right[i - COUNT(wrong)];
		const char *rest = strstr(form, "%s");

		buf_printf(&header, "%.*s%s%s", (int)(rest - form), form, token, rest + 2);
		assert_int_equal(keys_find_bearer(&keys, buf_string(&header)) != NULL,
				 i >= COUNT(wrong));
	}
}

/* -- reading ---------------------------------------------------------------------------------- */

static void test_what_is_no_file_of_keys_is_one_line(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		const char *wanted;
	} bad[] = {
		{"", "keys.json"},
		{"[]", "@keys_file_read_all \"keys\""},
		{"{}", "@keys_file_read_all"},
		{"{\"keys\": {}}", "@keys_file_read_all"},
		{"{\"keys\": [], \"more\": 1}", "@keys_file_read_all"},
		{"{\"keys\": [], \"keys\": []}", "@setting_json_check_once \"keys\""},
		{FILE_OF("1"), "@keys_file_read_key#must 1"},
		{FILE_OF("{}"), "@keys_file_read_key#missing 1 ... \"name\""},
		{FILE_OF("{\"name\": \"a\"}"), "@keys_file_read_key#missing \"a\" ... \"sha256\""},
		{FILE_OF("{\"name\": \"a\", " HASH_A "}"), "@keys_file_read_key#missing \"a\" ... \"created\""},
		{FILE_OF(KEY("A", HASH_A, "")), "@keys_file_name 1 ... \"name\" ... 1 ... 32"},
		{FILE_OF("{\"name\": 7}"), "@keys_file_name 1 ... \"name\""},
		{FILE_OF(KEY("a", "\"sha256\": \"aa\"", "")), "@keys_file_hash \"a\" ... \"sha256\" ... 64"},
		{FILE_OF("{\"name\": \"a\", " HASH_A ", \"created\": \"now\"}"), "@keys_file_created"},
		{FILE_OF(KEY("a", HASH_A, ", \"x\": 1")), "@keys_file_check_known \"a\" ... \"x\""},
		{FILE_OF(KEY("a", HASH_A, ", \"name\": \"b\"")), "@setting_json_check_once \"name\""},
		{FILE_OF(KEY("a", HASH_A, "") "," KEY("a", HASH_B, "")), "@keys_file_add#twice \"a\""},
		{FILE_OF(KEY("a", HASH_A, "") "," KEY("b", HASH_A, "")), "@keys_file_add#twice (\"b\")"},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": 1")), "@keys_file_add#1 \"a\" ... \"ceiling\""},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": {\"x\": 1}")), "@setting_json_member#2 \"x\""},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": {\"sessions\": \"x\"}")), "\"sessions\""},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": {\"sessions\": -1}")), "\"sessions\""},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": {\"concurrency\": 0}")), "\"concurrency\""},
		{FILE_OF(KEY("a", HASH_A, ", \"ceiling\": {\"user\": \"0\"}")), "@setting_json_member#2 \"user\""},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		refuses(load(bad[i].text), bad[i].text, ERR_INPUT, bad[i].wanted);
		assert_non_null(strstr(e.text, "keys.json"));
		assert_null(strchr(e.text, '\n'));
	}
	accepts(load(FILE_OF("")), "none");
	assert_int_equal(keys.count, 0);
	unlink("keys.json");
	refuses(keys_load("keys.json", &shipped, &keys, &e), "none", ERR_NOT_FOUND, "@keys_load");
}

static void test_a_file_that_others_can_write_is_none(void **state)
{
	(void)state;
	write_keys(FILE_OF(KEY("a", HASH_A, "")));
	assert_int_equal(chmod("keys.json", 0660), 0);
	refuses(keys_load("keys.json", NULL, &keys, &e), "0660", ERR_INPUT, "@document_judge#must");
	assert_int_equal(chmod("keys.json", 0600), 0);
	assert_int_equal(symlink("keys.json", "link"), 0);
	refuses(keys_load("link", NULL, &keys, &e), "link", ERR_INPUT, "@trusted_path_refuse_link");
	accepts(keys_load("keys.json", NULL, &keys, &e), "0600");
}

/* -- ceilings --------------------------------------------------------------------------------- */

static void test_what_a_key_does_not_name_is_what_lies_above(void **state)
{
	const struct ceiling *c;

	(void)state;
	shipped.quota.sessions = 5;
	accepts(load(FILE_OF(
			KEY("a", HASH_A,
			    ", \"ceiling\": {\"limits\": {\"memory\": \"64m\"}, \"concurrency\": "
			    "3, \"ttl\": \"1h\", \"storage\": \"1m\", "
			    "\"requests_per_minute\": 90}") "," KEY("b", HASH_B, ""))),
		"ceiling");
	c = &keys.items[0]->ceiling;
	assert_int_equal(c->run.limits.memory_bytes, 64 << 20);
	assert_int_equal(c->run.limits.pids, 512);
	assert_int_equal(c->quota.runs, 3);
	assert_int_equal(c->quota.sessions, 5);
	assert_int_equal(c->quota.ttl_ms, 3600000);
	assert_int_equal(c->quota.storage_bytes, 1 << 20);
	assert_int_equal(c->quota.requests, 90);
	c = &keys.items[1]->ceiling;
	assert_true(c->run.limits.memory_bytes == 4ull << 30);
	assert_true(c->quota.runs == SPEC_UNLIMITED);
	assert_int_equal(c->quota.sessions, 5);
}

static void test_a_looser_ceiling_is_refused(void **state)
{
	static const char *const looser[][2] = {
		{"{\"limits\": {\"memory\": \"5g\"}}",
		 "@setting_ceiling_refuse \"limits.memory\" ... 5g"                                           },
		{"{\"limits\": {\"memory\": 0}}",
		 "@setting_ceiling_refuse \"limits.memory\": no limit"                                        },
		{"{\"limits\": {\"timeout\": \"11m\"}}", "\"limits.timeout\": 660s"                           },
		{"{\"sessions\": 6}",                    "@setting_ceiling_refuse \"sessions\" ... 6 ... 5"   },
		{"{\"ttl\": \"2h\"}",                    "@setting_ceiling_refuse \"ttl\" ... 7200s ... 3600s"},
	};

	(void)state;
	shipped.quota.sessions = 5;
	shipped.quota.ttl_ms = 3600000;
	for (size_t i = 0; i < COUNT(looser); i++) {
		char text[512];

		snprintf(text, sizeof(text), FILE_OF(KEY("bob", HASH_A, ", \"ceiling\": %s")),
			 looser[i][0]);
		refuses(load(text), text, ERR_LIMIT, looser[i][1]);
		assert_non_null(strstr(e.text, "key \"bob\": \"ceiling\""));
		keys_fini(&keys);
		accepts(keys_load("keys.json", NULL, &keys, &e), "for a listing");
	}
}

static void test_a_servers_ceiling_lies_between(void **state)
{
	struct ceiling server;
	struct ceiling key;
	struct json *asked = json_parse("{\"sessions\": 3}", 15, &e);

	(void)state;
	write_ceiling("{\"limits\": {\"cpus\": 2}, \"sessions\": 2}");
	accepts(ceiling_load("c.json", &shipped, &server, &e), "server");
	refuses(ceiling_read(asked, &server, &key, &e), "key", ERR_LIMIT,
		"@setting_ceiling_refuse \"sessions\": 3 ... 2");
	ceiling_fini(&key);
	accepts(ceiling_read(NULL, &server, &key, &e), "nothing");
	assert_int_equal(key.run.asked.cpus_milli, 2000);
	assert_int_equal(key.quota.sessions, 2);
	ceiling_fini(&key);
	ceiling_fini(&server);
	write_ceiling("{\"limits\": {\"cpus\": 5}}");
	refuses(ceiling_load("c.json", &shipped, &server, &e), "c.json", ERR_LIMIT,
		"@setting_ceiling_refuse c.json ... \"limits.cpus\" ... 5");
	ceiling_fini(&server);
	refuses(ceiling_load("none", &shipped, &server, &e), "none", ERR_SYSTEM, "none");
	ceiling_fini(&server);
	json_free(asked);
}

/* -- reading anew ----------------------------------------------------------------------------- */

static void test_a_bad_file_leaves_the_old_keys(void **state)
{
	struct key *old;

	(void)state;
	accepts(load(FILE_OF(KEY("a", HASH_A, ""))), "first");
	old = keys.items[0];
	refuses(reload(FILE_OF(KEY("b", HASH_B, "") ",1")), "bad", ERR_INPUT,
		"@keys_file_add#2 key 2:");
	assert_int_equal(keys.count, 1);
	assert_ptr_equal(keys.items[0], old);
	assert_string_equal(old->name, "a");
	unlink("keys.json");
	refuses(reload_all(), "none", ERR_NOT_FOUND, "@keys_load");
	assert_int_equal(keys.count, 1);
}

static void test_a_key_in_use_stays_where_it_is(void **state)
{
	uint64_t retry;
	struct key *a;
	struct key *b;

	(void)state;
	accepts(load(FILE_OF(KEY("b", HASH_B, "") "," KEY("a", HASH_A, ""))), "first");
	b = keys.items[0];
	a = keys.items[1];
	accepts(quota_enter_run(a, &retry, &e), "a run");
	accepts(quota_enter_run(b, &retry, &e), "a run");
	accepts(reload(FILE_OF(KEY("new", HASH_A, ", \"ceiling\": {\"concurrency\": 1}"))), "anew");
	assert_int_equal(keys.count, 1);
	assert_ptr_equal(keys.items[0], a);
	assert_string_equal(a->name, "new");
	assert_int_equal(a->holders, 1);
	refuses(quota_enter_run(a, &retry, &e), "its new ceiling", ERR_BUSY, "@quota_enter_run 1");
	quota_leave_run(a);
	accepts(quota_enter_run(a, &retry, &e), "again");
	quota_leave_run(a);
	/* That which is gone is freed by its last holder. */
	assert_true(b->removed);
	assert_string_equal(b->name, "b");
	assert_null(keys_by_id(&keys, b->id));
	quota_leave_run(b);
}

/* -- the commands ----------------------------------------------------------------------------- */

static void test_add_prints_a_key_that_is_then_found(void **state)
{
	struct stat st;
	char token[KEY_BYTES];
	char hash[DIGEST_HEX];

	(void)state;
	does("add alice --keys keys.json");
	snprintf(token, sizeof(token), "%.47s", said);
	assert_int_equal(said[47], '\n');
	assert_int_equal(stat("keys.json", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	digest_hex(token, 47, hash);
	assert_non_null(strstr(unit_read(base, "keys.json"), hash));
	assert_null(strstr(unit_read(base, "keys.json"), token + 4));
	accepts(keys_load("keys.json", &shipped, &keys, &e), "what was written");
	assert_ptr_equal(keys_find(&keys, token, 47), keys.items[0]);
	fails("add alice --keys keys.json", "@keys_command_add_to alice");
	does("rm --keys=keys.json alice");
	fails("rm alice --keys keys.json", "@keys_command_rm_from alice");
	accepts(reload_all(), "empty");
	assert_null(keys_find(&keys, token, 47));
}

static void test_names_of_keys(void **state)
{
	static const char *const bad[] = {"A", "a_b", "a.b",
					  "ä", "a/b", "a23456789012345678901234567890123"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		char words[128];

		snprintf(words, sizeof(words), "add --keys keys.json -- %s", bad[i]);
		fails(words, "is not a name");
	}
	fails("add --keys keys.json -- -a", "is not a name");
	does("add a2345678901234567890123456789012 --keys keys.json");
}

static void test_ls_shows_no_key(void **state)
{
	(void)state;
	does("ls --keys keys.json --json");
	assert_string_equal(said, "[]\n");
	write_ceiling("{\"limits\": {\"memory\": \"1g\"}, \"sessions\": 2}");
	does("add bob --ceiling c.json --keys keys.json");
	does("ls --keys keys.json --json");
	assert_memory_equal(said, "[{\"name\":\"bob\",\"id\":\"", 21);
	assert_non_null(
		strstr(said, "\"ceiling\":{\"limits\":{\"memory\":\"1g\"},\"sessions\":2}}]"));
	does("ls --keys keys.json");
	assert_non_null(strstr(said, "bob "));
	assert_non_null(strstr(said, "{\"limits\":{\"memory\":\"1g\"},\"sessions\":2}\n"));
	/* It stays as it was given. */
	does("add eve --keys keys.json");
	does("rm eve --keys keys.json");
	does("ls --keys keys.json --json");
	assert_non_null(strstr(said, "{\"limits\":{\"memory\":\"1g\"},\"sessions\":2}"));
}

static void test_a_ceiling_is_checked_when_it_is_given(void **state)
{
	(void)state;
	write_ceiling("{\"limits\": {\"memory\": \"1t\"}}");
	fails("add a --ceiling c.json --keys keys.json", "--ceiling c.json: \"limits.memory\": 1t");
	fails("add a --ceiling none --keys keys.json", "--ceiling: open none");
	write_ceiling("{\"session\": 2}");
	fails("add a --ceiling c.json --keys keys.json", "\"session\"");
	does("ls --keys keys.json --json");
	assert_string_equal(said, "[]\n");
}

static void test_what_is_said_of_mistakes(void **state)
{
	(void)state;
	fails("", "@keys_command_do");
	fails("remove a", "@keys_command_do");
	fails("add --keys keys.json", "@keys_command_read add");
	fails("ls a --keys keys.json", "@keys_command_read ls");
	fails("rm a --ceiling x", "--ceiling");
	fails("add a --keys none/keys.json --kes x", "--kes");
	does("--help");
	assert_non_null(strstr(said, "requests"));
	does("add --help");
	assert_non_null(strstr(said, "--ceiling FILE"));
	write_keys("{");
	fails("add a --keys keys.json", "keys.json");
	assert_string_equal(unit_read(base, "keys.json"), "{");
	assert_int_equal(chmod(".", 0777), 0);
	write_keys(FILE_OF(""));
	fails("add a --keys keys.json", "cannot be replaced");
	assert_string_equal(unit_read(base, "keys.json"), FILE_OF(""));
}

static void test_two_that_add_at_once_lose_nothing(void **state)
{
	enum { EACH = 10, WRITERS = 4 };
	pid_t children[WRITERS];

	(void)state;
	for (int w = 0; w < WRITERS; w++) {
		children[w] = fork();
		if (children[w])
			continue;
		quiet();
		for (int i = 0; i < EACH; i++) {
			char words[64];

			snprintf(words, sizeof(words), "add w%d-%d --keys keys.json", w, i);
			if (run_command(words))
				_exit(1);
		}
		_exit(0);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status;

		assert_int_equal(waitpid(children[w], &status, 0), children[w]);
		assert_int_equal(status, 0);
	}
	accepts(keys_load("keys.json", &shipped, &keys, &e), "all");
	assert_int_equal(keys.count, EACH * WRITERS);
}

static void test_where_the_file_is(void **state)
{
	auto_buf struct buf wanted = {0};
	char *path;

	(void)state;
	setenv("XDG_CONFIG_HOME", "/some/where", 1);
	path = keys_file_default(&e);
	buf_text(&wanted, geteuid() ? "/some/where/glovebox/keys.json" : "/etc/glovebox/keys.json");
	assert_string_equal(path, buf_string(&wanted));
	free(path);
	unsetenv("XDG_CONFIG_HOME");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_key_is_found_by_itself_only, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_no_key_finds_nobody, begin, end),
		cmocka_unit_test_setup_teardown(test_the_header_of_a_request, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_no_file_of_keys_is_one_line, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_file_that_others_can_write_is_none, begin,
						end),
		cmocka_unit_test_setup_teardown(test_what_a_key_does_not_name_is_what_lies_above,
						begin, end),
		cmocka_unit_test_setup_teardown(test_a_looser_ceiling_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_a_servers_ceiling_lies_between, begin, end),
		cmocka_unit_test_setup_teardown(test_a_bad_file_leaves_the_old_keys, begin, end),
		cmocka_unit_test_setup_teardown(test_a_key_in_use_stays_where_it_is, begin, end),
		cmocka_unit_test_setup_teardown(test_add_prints_a_key_that_is_then_found, begin,
						end),
		cmocka_unit_test_setup_teardown(test_names_of_keys, begin, end),
		cmocka_unit_test_setup_teardown(test_ls_shows_no_key, begin, end),
		cmocka_unit_test_setup_teardown(test_a_ceiling_is_checked_when_it_is_given, begin,
						end),
		cmocka_unit_test_setup_teardown(test_what_is_said_of_mistakes, begin, end),
		cmocka_unit_test_setup_teardown(test_two_that_add_at_once_lose_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_where_the_file_is, begin, end),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
