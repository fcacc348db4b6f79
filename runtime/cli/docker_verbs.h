/*
 * docker_verbs - commands of docker's that are none of ours: another name for one, or what to do
 * instead.
 *
 * Runs: `glovebox` and `docker`.
 */
#ifndef GLOVEBOX_CLI_DOCKER_VERBS_H
#define GLOVEBOX_CLI_DOCKER_VERBS_H

/*
 * docker_verb - run the command that argv[0] names, or say what serves for it.
 * Returns the exit status; -1: docker has no such command either.
 */
int docker_verb(int argc, char **argv);

/* The same for "help NAME...": the help of what it is here, or what serves for it, on stdout. */
int docker_verb_help(int argc, char **argv);

/* The command of `glovebox image` that it is: "rmi" is "rm"; NULL: none. */
const char *docker_verb_of_image(const char *name);

/* The names that do something: those for images, and container, for its run. */
void docker_verbs_tell(void (*tell)(const char *name));

/* Our commands that are the same behind "container"; "ls" is "ps". Ends with NULL. */
extern const char *const docker_container_verbs[];

#endif
