//! Paragraphs of a mail as blocks of one direction, with their lines and links.

use crate::bidi::Direction;
use crate::settings::in_two_scripts;
use crate::text_links::{self, Part};

/// Lines of the same direction that follow each other.
pub(super) struct Block<'a> {
    direction: Direction,
    pub lines: Vec<Vec<Part<'a>>>,
    /// Pixels below.
    pub space: u32,
}

/// A title. The Yiddish part of one in two scripts stands on a line of its own.
pub(super) struct Heading<'a> {
    pub first: &'a str,
    pub second: Option<&'a str>,
    direction: Direction,
}

impl<'a> Heading<'a> {
    pub fn of(title: &'a str) -> Heading<'a> {
        let (first, second) = in_two_scripts(title);
        let direction = Direction::of(first).unwrap_or(Direction::LeftToRight);
        Heading { first, second, direction }
    }

    pub fn dir(&self) -> &'static str {
        self.direction.attribute()
    }

    pub fn align(&self) -> &'static str {
        self.direction.align()
    }
}

impl Block<'_> {
    pub fn dir(&self) -> &'static str {
        self.direction.attribute()
    }

    pub fn align(&self) -> &'static str {
        self.direction.align()
    }
}

/// Splits a paragraph into blocks. Addresses say nothing about the direction of their line, and a line
/// without letters has that of the line before.
pub(super) fn blocks(paragraph: &str, linked: bool, space: u32) -> Vec<Block<'_>> {
    let lines: Vec<Vec<Part<'_>>> = paragraph.split('\n').map(|line| parts(line, linked)).collect();
    let first = lines.iter().find_map(|line| direction(line)).unwrap_or(Direction::LeftToRight);
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in lines {
        let before = blocks.last().map_or(first, |block| block.direction);
        let direction = direction(&line).unwrap_or(before);
        match blocks.last_mut() {
            Some(block) if block.direction == direction => block.lines.push(line),
            _ => blocks.push(Block { direction, lines: vec![line], space: 0 }),
        }
    }
    if let Some(last) = blocks.last_mut() {
        last.space = space;
    }
    blocks
}

fn parts(line: &str, linked: bool) -> Vec<Part<'_>> {
    match linked {
        true => text_links::parts(line),
        false => vec![Part { text: line, url: None }],
    }
}

fn direction(line: &[Part<'_>]) -> Option<Direction> {
    let words = line.iter().filter(|part| part.url.is_none()).map(|part| part.text);
    Direction::of(&words.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_directions_become_blocks() {
        let text =
            "Dear parents,\nthe gates open at ten.\nטייערע עלטערן\nhttps://camp.example/x\n10:00";
        let blocks = blocks(text, true, 14);
        let shown: Vec<_> = blocks.iter().map(|b| (b.dir(), b.lines.len(), b.space)).collect();
        assert_eq!(shown, [("ltr", 2, 0), ("rtl", 3, 14)]);
        assert!(blocks[1].lines[1][0].url.is_some());
    }

    #[test]
    fn a_heading_in_two_scripts_has_two_lines() {
        for (title, shown) in [
            (
                "Who will win? · ווער וועט געווינען און פארוואס?",
                ("Who will win?", Some("ווער וועט געווינען און פארוואס?"), "ltr"),
            ),
            ("קאלער וואר · Color War", ("קאלער וואר · Color War", None, "rtl")),
            ("Swim · relay", ("Swim · relay", None, "ltr")),
        ] {
            let heading = Heading::of(title);
            assert_eq!((heading.first, heading.second, heading.dir()), shown);
        }
    }
}
