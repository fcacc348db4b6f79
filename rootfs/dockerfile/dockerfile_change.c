/*
 * dockerfile_change - change the configuration of an image by instructions.
 */
#include "dockerfile_change.h"

#include <string.h>

#include "base/own.h"
#include "dockerfile_state.h"

static int dockerfile_change_one(struct dockerfile_state *s, const char *text, struct err *e)
{
	auto_dockerfile struct dockerfile d = {0};

	if (dockerfile_parse(text, strlen(text), &d, e))
		return -1;
	for (size_t i = 0; i < d.count; i++) {
		switch (d.items[i].kind) {
		case INSTRUCTION_ADD:
		case INSTRUCTION_ARG:
		case INSTRUCTION_COPY:
		case INSTRUCTION_FROM:
		case INSTRUCTION_RUN:
			return err_input(e, "%s changes no configuration: glovebox image build",
					 d.items[i].name);
		case INSTRUCTION_CMD:
		case INSTRUCTION_ENTRYPOINT:
		case INSTRUCTION_ENV:
		case INSTRUCTION_EXPOSE:
		case INSTRUCTION_HEALTHCHECK:
		case INSTRUCTION_LABEL:
		case INSTRUCTION_MAINTAINER:
		case INSTRUCTION_SHELL:
		case INSTRUCTION_STOPSIGNAL:
		case INSTRUCTION_USER:
		case INSTRUCTION_WORKDIR:
			break;
		}
		if (dockerfile_state_apply(s, &d.items[i], e))
			return -1;
	}
	return 0;
}

int dockerfile_change(const struct list *changes, struct meta *meta, struct err *e)
{
	struct dockerfile_arguments arguments = {0};
	struct dockerfile_state s;
	int bad = 0;

	dockerfile_state_init(&s, '\\', &arguments);
	meta_fini(&s.meta);
	s.meta = *meta;
	if (!s.meta.user)
		s.meta.user = own_strdup("");
	if (!s.meta.workdir)
		s.meta.workdir = own_strdup("");
	for (size_t i = 0; !bad && i < changes->count; i++) {
		if (dockerfile_change_one(&s, changes->items[i], e))
			bad = err_prefix(e, "--change \"%.100s\"", changes->items[i]);
	}
	*meta = s.meta;
	s.meta = (struct meta){0};
	dockerfile_state_fini(&s);
	dockerfile_arguments_fini(&arguments);
	return bad;
}
