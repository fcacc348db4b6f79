/*
 * image_config_json - write the configuration of an image, as docker inspect --format '{{json
 * .Config}}' does.
 */
#include "cli/image_config_json.h"

#include "base/json_put.h"

static void image_config_json_list(struct buf *out, const char *key, const char **items)
{
	json_put_begin(out, key, '[');
	for (const char **p = items; *p; p++)
		json_put_text(out, NULL, *p);
	json_put_end(out, ']');
}

/* docker leaves the member out of an image without any. */
static void image_config_json_ports(struct buf *out, const char **ports)
{
	if (!*ports)
		return;
	json_put_begin(out, "ExposedPorts", '{');
	for (const char **p = ports; *p; p++) {
		json_put_begin(out, *p, '{');
		json_put_end(out, '}');
	}
	json_put_end(out, '}');
}

const char *image_config_json(const struct image_config *c, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "User", c->user);
	image_config_json_ports(out, c->exposed);
	image_config_json_list(out, "Env", c->env);
	image_config_json_list(out, "Cmd", c->cmd);
	json_put_text(out, "WorkingDir", c->workdir);
	image_config_json_list(out, "Entrypoint", c->entrypoint);
	json_put_end(out, '}');
	return buf_string(out);
}
