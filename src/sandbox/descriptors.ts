/** File descriptors that the parent opens for the child. The three standard ones are closed. */
export const OUTPUT_FD = 3;
export const INPUT_FD = 4;
