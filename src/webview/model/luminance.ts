// Which letters can be read on a colour.

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** Whether dark letters are the readable ones on a colour of parts 0 .. 255 (relative luminance of WCAG 2.2; both contrasts are equal at 0.179). */
export const takesDarkText = (red: number, green: number, blue: number): boolean => 0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255) > 0.179;
