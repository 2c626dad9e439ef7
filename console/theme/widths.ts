/** Telephones, and windows beside another: below this everything is in one column. */
export const narrow = '@media (max-width: 799px)';
