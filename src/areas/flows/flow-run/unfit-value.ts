/** A value of the run does not fit where a step needs one. The message never contains the value. */
export class UnfitValue extends Error {}
