/*
 * egress_list - a list of hosts, as --egress and `session egress` take it.
 *
 *   NAME[:PORT[:KIND]][,...]   hosts (netpolicy/egress_host.h); without a port 80 and 443
 *   WORD                       a preset (netpolicy/egress_preset.h): one a line, # comments
 *   none                       alone: the sandbox reaches nothing, until a session's list changes
 *
 * No side effects, but for the files of presets.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_LIST_H
#define GLOVEBOX_SPEC_EGRESS_LIST_H

#include "spec/spec.h"

/*
 * egress_list_add - add the rules of a list to the spec, and mark that its network has a list.
 *
 * Errors: ERR_INPUT; those of egress_preset_read(). Rules before the invalid one stay.
 */
int egress_list_add(struct sandbox_spec *s, const char *text, struct err *e);

/*
 * egress_list_add_hosts - the same for a list of single hosts: no name of another list, whose file
 * its reader may not know. An empty one marks that nothing is reached.
 */
int egress_list_add_hosts(struct sandbox_spec *s, char *const *hosts, size_t count, struct err *e);

#endif
