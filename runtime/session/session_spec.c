/*
 * session_spec - the spec of a session: python3 in an image, and a /workspace of its own.
 */
#include "session/session_spec.h"

#include <string.h>

#include "base/own.h"
#include "client/client.h"
#include "image/image_reference.h"
#include "sandbox/sandbox.h"
#include "wire/key.h"

#define WORKSPACE "/workspace"
#define INODES    65536

static int session_spec_default_image(struct sandbox_spec *spec, struct err *e)
{
	struct op_answer answer;

	if (client_ask_once(NULL, OP_STATUS, NULL, &answer, e))
		return -1;
	spec->image = spec_strdup(spec, answer.status.image);
	op_answer_fini(&answer);
	return 0;
}

static int session_spec_set_image(struct sandbox_spec *spec, const char *image, struct err *e)
{
	auto_free char *reference = NULL;

	if (!image)
		return session_spec_default_image(spec, e);
	if (image_reference(image, &reference, e))
		return -1;
	spec->image = spec_strdup(spec, reference);
	return 0;
}

static int session_spec_check_flags(const struct sandbox_spec *spec, struct err *e)
{
	if (spec->warm == WARM_NEVER)
		return err_input(e, "--warm=never is for runs, not for sessions");
	for (size_t i = 0; i < spec->mount_count; i++) {
		if (!strcmp(spec->mounts[i].target, WORKSPACE))
			return err_input(e, WORKSPACE
					 " is the session's own: mount below it, or "
					 "elsewhere");
		if (spec->mounts[i].volume)
			return err_set(e, ERR_UNSUPPORTED,
				       "-v %.100s: volumes by name are for runs, not for sessions: "
				       "give a session a directory, -v DIR:%.100s",
				       spec->mounts[i].volume, spec->mounts[i].target);
	}
	return 0;
}

void session_spec_add_workspace(struct sandbox_spec *spec, const char *place, uint64_t inodes)
{
	struct mount_spec *workspace = spec_add_mount(spec, MOUNT_STAGE, place);

	workspace->size_bytes = WORKSPACE_BYTES;
	workspace->inodes = inodes;
	workspace->mode = 0755;
	workspace->uid = workspace->gid = -1;
}

int session_spec_finish(struct sandbox_spec *spec, const char *image, struct err *e)
{
	if (session_spec_check_flags(spec, e) || session_spec_set_image(spec, image, e))
		return -1;
	spec->entrypoint = spec_strdup(spec, "");
	spec->egress.is_session = true;
	spec_list_add(spec, &spec->command, "python3");
	session_spec_add_workspace(spec, WORKSPACE, INODES);
	return spec_finish(spec, e);
}

int session_spec_check(const struct sandbox_spec *spec, struct err *e)
{
	struct sandbox sandbox;
	const char *refusal;

	if (sandbox_open(spec, &sandbox, e))
		return -1;
	refusal = warm_refusal_of_limits(&sandbox);
	sandbox_destroy(&sandbox);
	return refusal ? err_input(e, "a session needs a warm cell: %s", refusal) : 0;
}

int session_spec_finish_own(struct sandbox_spec *spec, const char *image, struct err *e)
{
	if (!session_spec_finish(spec, image, e))
		return 0;
	return !image && e->kind == ERR_NOT_FOUND ? session_spec_finish(spec, "python", e) : -1;
}
