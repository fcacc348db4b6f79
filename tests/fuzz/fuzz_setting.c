/*
 * fuzz_setting - a command line, one word per line: what is accepted is within its bounds.
 */
#include "fuzz.h"

#include "cli/presentation.h"
#include "flags/setting_words.h"

#define MAX_WORDS 256

static void check_limits(const struct limits *l)
{
	MUST(l->memory_bytes >= 6 << 20);
	MUST(l->pids > 0);
	MUST(l->cpu_period_us >= 1000 && l->cpu_period_us <= 1000000);
	MUST(l->cpu_quota_us >= 1000);
	MUST(l->wall_time_ms > 0 && l->cpu_time_ms > 0);
	MUST(l->shm_bytes >= 4096);
}

static void check_mounts(const struct sandbox_spec *s)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		const struct mount_spec *m = &s->mounts[i];
		size_t length = strlen(m->target);

		MUST(m->target[0] == '/' && m->target[1]);
		MUST(m->target[length - 1] != '/');
		MUST(!strstr(m->target, "//") && !strstr(m->target, "/../") &&
		     !strstr(m->target, "/./"));
		MUST(length < 3 || strcmp(m->target + length - 3, "/.."));
		MUST(strncmp(m->target, "/proc/", 6) && strcmp(m->target, "/proc"));
		MUST(strncmp(m->target, "/sys/", 5) && strcmp(m->target, "/sys"));
		MUST((strncmp(m->target, "/dev/", 5) && strcmp(m->target, "/dev")) ||
		     !strcmp(m->target, "/dev/shm"));
		MUST((m->kind == MOUNT_TMPFS) == !m->source);
		MUST(!m->source || m->source[0] == '/');
		MUST(m->kind == MOUNT_BIND || (m->size_bytes >= 4096 && m->inodes > 0));
		MUST(m->mode <= 07777);
		MUST(!i || strcmp(s->mounts[i - 1].target, m->target) < 0);
	}
}

static void check_spec(const struct sandbox_spec *s)
{
	check_limits(&s->limits);
	check_mounts(s);
	MUST(s->stop_signal >= 1 && s->stop_signal <= 64);
	MUST(!s->workdir || s->workdir[0] == '/');
	for (size_t i = 0; i < s->env.count; i++)
		MUST(strchr(s->env.items[i], '=') > s->env.items[i]);
	for (size_t i = 0; i < RLIM_NLIMITS; i++)
		MUST(!s->rlimits[i].set ||
		     s->rlimits[i].value.rlim_cur <= s->rlimits[i].value.rlim_max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *argv[MAX_WORDS + 1] = {0};
	struct presentation show = {0};
	struct settings settings;
	struct sandbox_spec s;
	struct err e = {0};
	char *rest = text;
	int argc = 0;
	int used = -1;

	/* Files that flags name are read: none that could block, or is the machine's. */
	if (!strstr(text, "env-file") && !strstr(text, "seccomp")) {
		while (rest && argc < MAX_WORDS)
			argv[argc++] = strsep(&rest, "\n");
		spec_init(&s);
		settings = presentation_settings(&s, &show);
		if (setting_words(&settings, argc, argv, &used, &e)) {
			fuzz_check_error(&e);
		} else {
			MUST(used >= 0 && used <= argc);
			if (spec_finish(&s, &e))
				fuzz_check_error(&e);
			else
				check_spec(&s);
		}
		presentation_fini(&show);
		spec_fini(&s);
	}
	free(text);
	return 0;
}
