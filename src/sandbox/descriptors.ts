/**
 * File descriptors of the pipes between the child process and its parent. The three standard file descriptors are
 * closed.
 */
export const OUTPUT_FD = 3;
export const INPUT_FD = 4;
