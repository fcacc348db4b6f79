/*
 * notify - what systemd is told of a server's life (sd_notify(3)), if it asks.
 *
 * Touches the OS: NOTIFY_SOCKET of the environment. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_NOTIFY_H
#define GLOVEBOX_SERVE_NOTIFY_H

/*
 * notify_take - remember whom to tell, and take it out of the environment: no child shall speak for
 * us. Returns an owned text, or NULL: nobody asks.
 */
char *notify_take(void);

/*
 * notify_say - tell a state: "READY=1". It does not wait, and who does not listen hears nothing.
 * @where  NULL: nobody.
 */
void notify_say(const char *where, const char *state);

/* RELOADING=1, with the moment. READY=1 must follow. */
void notify_say_reloading(const char *where);

#endif
