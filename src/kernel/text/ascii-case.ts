/** With the letters A to Z small. Letters beyond ASCII stay: some of them would turn into ASCII ones. */
export const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
