/** A value of the run does not fit where a step wants one. The sentence tells no value. */
export class UnfitValue extends Error {}
