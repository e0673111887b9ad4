/** `<sha1>-<bytes of the pack>-<bytes of its index>`: sizes need no look-up. */
export const packName = (digest: string, pack: number, index: number): string => `${digest}-${pack}-${index}`;

export const packBytesOf = (name: string): number => Number(name.split('-')[1]);
export const indexBytesOf = (name: string): number => Number(name.split('-')[2]);
