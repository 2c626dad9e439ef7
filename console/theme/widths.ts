/** Phones, and windows side by side: everything is in one column. */
export const narrow = '@media (max-width: 799px)';
