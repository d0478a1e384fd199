//! Computes the shades of a color that the camp chose: for each theme as light or dark as needed,
//! so that every text has a contrast of 4.5 to 1 with every background that it appears on.

use std::fmt;

/// The minimum contrast of text (WCAG 2.2, AA), with a margin for rounding.
const MINIMUM_CONTRAST: f64 = 4.52;

/// Lightness, chroma and hue in OKLCH.
type Lch = [f64; 3];

/// The backgrounds of the two themes, and the text on a button, as in `web/src/theme.css`.
const LIGHT: [Lch; 4] =
    [[0.972, 0.014, 84.0], [0.992, 0.007, 86.0], [0.945, 0.019, 82.0], [0.925, 0.02, 82.0]];
const DARK: [Lch; 4] =
    [[0.212, 0.024, 216.0], [0.258, 0.027, 214.0], [0.182, 0.022, 218.0], [0.305, 0.026, 213.0]];
const ON_MAIN: [Lch; 2] = [[0.985, 0.012, 90.0], [0.2, 0.03, 190.0]];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl Color {
    /// Parses a color such as `#1b5a40`.
    pub fn read(text: &str) -> Option<Color> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let part = |at| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex.then_some(Color([part(0)?, part(2)?, part(4)?]))
    }

    fn linear(self) -> [f64; 3] {
        self.0.map(|part| match f64::from(part) / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        })
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// The contrast between two colors: 1 to 21.
    pub fn contrast(self, other: Color) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        a.max(b) / a.min(b)
    }

    fn lch(self) -> Lch {
        let [r, g, b] = self.linear();
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        let x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
        let y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
        let lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
        [lightness, x.hypot(y), y.atan2(x).to_degrees()]
    }

    /// Converts the color, with the highest chroma that a screen can show.
    fn of([lightness, mut chroma, hue]: Lch) -> Color {
        loop {
            let (x, y) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
            let l = (lightness + 0.3963377774 * x + 0.2158037573 * y).powi(3);
            let m = (lightness - 0.1055613458 * x - 0.0638541728 * y).powi(3);
            let s = (lightness - 0.0894841775 * x - 1.291485548 * y).powi(3);
            let parts = [
                4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
            ];
            if chroma < 0.001 || parts.iter().all(|part| (-0.0001..=1.0001).contains(part)) {
                return Color(parts.map(|part| match part.clamp(0.0, 1.0) {
                    part if part <= 0.0031308 => (part * 12.92 * 255.0).round() as u8,
                    part => ((1.055 * part.powf(1.0 / 2.4) - 0.055) * 255.0).round() as u8,
                }));
            }
            chroma -= 0.002;
        }
    }
}

/// A CSS variable with its color in the light and in the dark theme.
pub type Shade = (&'static str, Color, Color);

/// The shades of the main color: buttons, links, selection.
pub fn main(chosen: Color) -> Vec<Shade> {
    let [lightness, chroma, hue] = chosen.lch();
    let washes = [[0.925, chroma.min(0.03), hue], [0.305, chroma.min(0.038), hue]].map(Color::of);
    let on = ON_MAIN.map(Color::of);
    let light = readable([lightness, chroma, hue], -0.004, &grounds(LIGHT, &[washes[0], on[0]]));
    let dark = [lightness.max(0.72), chroma.min(0.13), hue];
    let dark = readable(dark, 0.004, &grounds(DARK, &[washes[1], on[1]]));
    let deeper = |[l, c, h]: Lch, by: f64| Color::of([(l + by).clamp(0.0, 0.97), c, h]);
    vec![
        ("pine", Color::of(light), Color::of(dark)),
        ("pine-deep", deeper(light, -0.065), deeper(dark, 0.055)),
        ("on-pine", on[0], on[1]),
        ("pine-wash", washes[0], washes[1]),
    ]
}

/// The shades of the accent color: a background with its text, and a text.
pub fn accent(chosen: Color) -> Vec<Shade> {
    let [mut lightness, chroma, hue] = chosen.lch();
    let (dark_ink, light_ink) = (Color::of([0.2, chroma.min(0.05), hue]), Color::of(ON_MAIN[0]));
    let ground = |lightness: f64| Color::of([lightness, chroma, hue]);
    let reads = |ink: Color, lightness: f64| ink.contrast(ground(lightness)) >= MINIMUM_CONTRAST;
    let inked = reads(light_ink, lightness) && !reads(dark_ink, lightness);
    while !inked && !reads(dark_ink, lightness) {
        lightness += 0.004;
    }
    let ink = if inked { light_ink } else { dark_ink };
    let bright = ground(if inked { lightness - 0.05 } else { (lightness + 0.05).min(0.97) });
    let washes = [[0.938, chroma.min(0.05), hue], [0.32, chroma.min(0.045), hue]].map(Color::of);
    let text = readable([lightness, chroma, hue], -0.004, &grounds(LIGHT, &washes[..1]));
    let dark = [lightness.max(0.72), chroma.min(0.13), hue];
    let dark = readable(dark, 0.004, &grounds(DARK, &washes[1..]));
    vec![
        ("amber", ground(lightness), ground(lightness)),
        ("amber-bright", bright, bright),
        ("on-amber", ink, ink),
        ("amber-text", Color::of(text), Color::of(dark)),
        ("amber-wash", washes[0], washes[1]),
    ]
}

fn grounds(theme: [Lch; 4], more: &[Color]) -> Vec<Color> {
    theme.map(Color::of).into_iter().chain(more.iter().copied()).collect()
}

/// Makes the color lighter or darker until it is readable on all of these backgrounds.
fn readable([mut lightness, chroma, hue]: Lch, step: f64, grounds: &[Color]) -> Lch {
    let reads = |lightness: f64| {
        let color = Color::of([lightness, chroma, hue]);
        grounds.iter().all(|ground| color.contrast(*ground) >= MINIMUM_CONTRAST)
    };
    while (0.0..=1.0).contains(&lightness) && !reads(lightness) {
        lightness += step;
    }
    [lightness.clamp(0.0, 1.0), chroma, hue]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shade(shades: &[Shade], name: &str) -> [Color; 2] {
        let found = shades.iter().find(|(known, ..)| *known == name).expect(name);
        [found.1, found.2]
    }

    #[test]
    fn whatever_color_is_chosen_all_texts_can_be_read() {
        let steps = [0, 36, 73, 109, 146, 182, 219, 255];
        let themes = [LIGHT.map(Color::of), DARK.map(Color::of)];
        for step in 0..512 {
            let chosen = Color([step / 64, step / 8 % 8, step % 8].map(|at| steps[at]));
            let (main, accent) = (main(chosen), accent(chosen));
            let get = |name: &str, theme: usize| {
                shade(if name.contains("pine") { &main } else { &accent }, name)[theme]
            };
            for (theme, grounds) in themes.iter().enumerate() {
                let pairs = [
                    ("pine", "pine-wash"),
                    ("on-pine", "pine"),
                    ("on-pine", "pine-deep"),
                    ("on-amber", "amber"),
                    ("on-amber", "amber-bright"),
                    ("amber-text", "amber-wash"),
                ];
                for (text, ground) in pairs {
                    let contrast = get(text, theme).contrast(get(ground, theme));
                    assert!(contrast >= 4.5, "{chosen}: {text} on {ground} has {contrast:.2}");
                }
                for ground in grounds {
                    for text in ["pine", "amber-text"] {
                        let contrast = get(text, theme).contrast(*ground);
                        assert!(contrast >= 4.5, "{chosen}: {text} on {ground} has {contrast:.2}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_color_that_can_be_read_stays_as_it_was_chosen() {
        let pine = Color::read("#1b5a40").expect("a color");
        assert_eq!(shade(&main(pine), "pine")[0], pine);
        let amber = Color::read("#f0ad43").expect("a color");
        assert_eq!(shade(&accent(amber), "amber"), [amber, amber]);
        assert_eq!(Color::read("1b5a40"), None);
        assert_eq!(Color::read("#1b5a4"), None);
        assert_eq!(Color::read("#+b5a40"), None);
    }

    #[test]
    fn the_grounds_are_those_of_the_style_sheet() {
        let sheet = include_str!("../../web/src/theme.css");
        let written = |[l, c, h]: Lch| format!("oklch({l} {c} {h})");
        for (at, name) in ["paper", "surface", "sunk", "bone"].into_iter().enumerate() {
            let (light, dark) = (written(LIGHT[at]), written(DARK[at]));
            let line = format!("--color-{name}: light-dark({light}, {dark});");
            assert!(sheet.contains(&line), "{line}");
        }
        let (light, dark) = (written(ON_MAIN[0]), written(ON_MAIN[1]));
        assert!(sheet.contains(&format!("--color-on-pine: light-dark({light}, {dark});")));
    }
}
