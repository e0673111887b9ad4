/** Lower-cases A to Z only, because some letters beyond ASCII would turn into ASCII ones. */
export const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
