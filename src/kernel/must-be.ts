/** What is wrong with a text in which half a character stands. */
export const illFormed = 'must be well-formed Unicode: half of a surrogate pair stands alone';

/** What is wrong with a value of another kind than wanted (`a string`), or with none. */
export const mustBe = (wanted: string, value: unknown): string =>
  value === undefined ? `is required and must be ${wanted}` : `must be ${wanted}`;
