/*
 * setup - `glovebox agent setup`: examine the server, and make the tuned model.
 */
#ifndef GLOVEBOX_AGENT_SETUP_H
#define GLOVEBOX_AGENT_SETUP_H

/* Defaults for the flags; borrowed. */
struct setup_defaults {
	const char *url;     /* NULL: the server on this machine */
	const char *api_key; /* NULL: none */
	const char *ca;      /* as in struct server_options */
	const char *system;  /* the system text of the tuned model */
};

/*
 * setup_main - run the sub-command.
 *
 * @argv  "setup" and its flags.
 * Returns the exit status: 0, EXIT_MODEL if the server or a model failed, EXIT_OURS for wrong
 * flags.
 */
int setup_main(int argc, char **argv, const struct setup_defaults *defaults);

#endif
