// Its index loads 320 modules, a telephone book of all countries among them: 5 MB and a twentieth of the start. Single
// checks are imported from their own files, for which it has no types.
declare module 'class-validator/cjs/decorator/*' {
  export * from 'class-validator';
}
