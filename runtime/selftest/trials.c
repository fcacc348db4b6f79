/*
 * trials - start the probe, and read its answer: shared by all trials.
 */
#include "selftest/trials.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "loop/clock.h"
#include "loop/fd.h"

static void trials_split(const char *text, struct list *out)
{
	auto_free char *copy = own_strdup(text);
	char *rest = copy;
	char *word;

	while ((word = strsep(&rest, " "))) {
		if (*word)
			list_add(out, word);
	}
}

int trial_start(struct selftest *t, struct caller *c, const char *flags, const char *options,
		struct caller_run *out, struct err *e)
{
	struct list flag_list = {0};
	struct list option_list = {0};
	int bad;

	if (!t->limits)
		trials_split("--memory 0 --cpus 0 --pids-limit 0", &flag_list);
	trials_split(flags, &flag_list);
	trials_split(options, &option_list);
	bad = caller_start(c, t->image, &flag_list, &option_list, out, e);
	list_fini(&flag_list);
	list_fini(&option_list);
	return bad;
}

int trial_failed(const struct caller_run *r, int status, struct err *e)
{
	auto_buf struct buf said = {0};
	const char *text;
	int length;

	caller_read(r->messages, &said);
	text = say_heard(buf_string(&said), &length);
	if (*text)
		return err_set(e, ERR_UNSUPPORTED, "a sandbox did not do its work: %.*s", length,
			       text);
	return err_set(e, ERR_UNSUPPORTED, "a sandbox did not do its work: status %d", status);
}

int trial_await(struct caller_run *r, struct err *e)
{
	uint64_t end = monotonic_ms() + TRIAL_MS;
	bool ready = false;

	while (!ready && monotonic_ms() < end &&
	       !fd_await(r->pidfd, POLLIN, monotonic_us() + 2000)) {
		auto_buf struct buf said = {0};

		caller_read(r->out, &said);
		ready = strstr(buf_string(&said), "ready\n") != NULL;
	}
	return ready ? 0 : trial_failed(r, 0, e);
}

/* Record "layer what held|broken saw", separated by tabs. */
static void trials_note_line(struct selftest *t, char *line)
{
	const char *fields[4] = {"", "", "", ""};
	char *rest = line;

	for (int i = 0; i < 4 && rest; i++)
		fields[i] = strsep(&rest, "\t");
	if (*fields[1])
		selftest_note(t, fields[0], fields[1], !strcmp(fields[2], "held"), "%s", fields[3]);
}

bool trial_note_answer(struct selftest *t, const struct caller_run *r)
{
	auto_buf struct buf said = {0};
	auto_free char *text = NULL;
	char *rest = NULL;
	char *line;
	bool ended = false;

	caller_read(r->out, &said);
	text = own_strdup(buf_string(&said));
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0'; /* from a terminal */
		ended |= !strcmp(line, "end");
		trials_note_line(t, line);
	}
	return ended;
}

int trial_end(struct selftest *t, struct caller_run *r, struct err *e)
{
	int status = caller_wait(r, TRIAL_MS);
	bool ended = trial_note_answer(t, r);
	int bad = ended && !status ? 0 : trial_failed(r, status, e);

	caller_end(r);
	return bad;
}
