/* The C interface of kernelagent: jobs that run in the background, driven by JSON texts.
 *
 *   char* error = NULL;
 *   int64_t job = kernelagent_start("{\"command\": \"auto\", \"flags\": {\"problem\": \"p.py\"}}", &error);
 *   while (!kernelagent_wait(job, 100)) { ... }
 *   char* result = kernelagent_result(job);
 *
 * A job is the program `kernelagent` in a process of its own (docs/decisions/0006-c-interface.md): it lies beside this library, or KERNELAGENT_PROGRAM
 * names it. It ends, with everything that it has started, when it is cancelled, when its handle is freed, and when the process that started it ends in
 * whatever way. All functions may be called from any thread; several jobs may run at once. None throws. Handles belong to the process that made them: in
 * a process forked from it they are unknown. Texts that are returned belong to the caller, who gives them to kernelagent_free_text.
 */
#ifndef KERNELAGENT_H
#define KERNELAGENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a program that was built for this header no longer works with the library. */
#define KERNELAGENT_ABI 1
int kernelagent_abi(void);

/* "0.1.0". Never freed. */
const char* kernelagent_version(void);

/* Starts a job and returns its handle, which is above 0. On failure 0, and *error (unless error is null) says why.
 * The request: {"command": "auto",                      required, any command of the program
 *               "flags": {"problem": "p.py",            a text or a number: --problem=p.py
 *                         "max_minutes": 5,             underscores become dashes
 *                         "verify": true},              true: a switch; false and null: left out
 *               "words": ["relu of 1024 numbers"],      what follows without a flag
 *               "folder": "/some/folder",               where it runs (default: the current one)
 *               "environment": {"NAME": "value"}}       added to the environment of this process; null takes a variable away
 */
int64_t kernelagent_start(const char* request, char** error);

/* Waits until the job has ended, at most so long; a negative time is no limit. 1: it has ended. 0: it has not. -1: no such job. */
int kernelagent_wait(int64_t job, int64_t milliseconds);

/* What happened since the last call: one JSON object per line, as in events.jsonl. Empty when nothing did; null when there is no such job. Events that
 * nobody fetches are kept up to 16 MiB, then the oldest are dropped. */
char* kernelagent_events(int64_t job);

/* Asks the job to end; it has ended, killed if need be, within two seconds. Returns at once. 0, or -1: no such job. */
int kernelagent_cancel(int64_t job);

/* {"exit_code": 0 (or 128 + the signal), "cancelled": false, "seconds": 3.2, "output": the object that the command prints with --json, or null,
 *  "text": what it printed when that is no JSON, "message": its last complaint, or "", "stderr": the end of what it complained}
 * Null while it runs, and when there is no such job. */
char* kernelagent_result(int64_t job);

/* Ends the job if it still runs (within two seconds) and forgets it. */
void kernelagent_free(int64_t job);

void kernelagent_free_text(char* text);

#ifdef __cplusplus
}
#endif

#endif
