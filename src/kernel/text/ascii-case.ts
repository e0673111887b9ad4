/** Lower-cases only A to Z, because some letters beyond ASCII would turn into ASCII letters. */
export const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
