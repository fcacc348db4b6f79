/*
 * notify - report the state of a server to systemd (sd_notify(3)), if it asks.
 *
 * Touches the OS: NOTIFY_SOCKET of the environment. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_NOTIFY_H
#define GLOVEBOX_SERVE_NOTIFY_H

/*
 * notify_take - take the socket's name out of the environment, so that no child reports for us.
 * Returns an owned text, or NULL: systemd does not ask.
 */
char *notify_take(void);

/*
 * notify_say - send a state: "READY=1". Does not block; a missing listener is ignored.
 * @where  NULL: do nothing.
 */
void notify_say(const char *where, const char *state);

/* Send RELOADING=1 with the time. READY=1 must follow. */
void notify_say_reloading(const char *where);

#endif
