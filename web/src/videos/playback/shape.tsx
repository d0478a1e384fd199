/** The icons of the controls. The icons of the pages stay in the file that every page loads. */
const shapes = {
  back: "M4.500 12a7.500 7.500 0 1 0 2.300-5.400L4.500 9M4.500 4v5h5",
  captions: "M3.500 5.500h17v13h-17zM10.500 10.500a2 2 0 1 0 0 3M17 10.500a2 2 0 1 0 0 3",
  floating: "M3.500 5.500h17v13h-17zM12 12h6v4.500h-6z",
  forward: "M19.500 12a7.500 7.500 0 1 1-2.300-5.400L19.500 9M19.500 4v5h-5",
  large: "M4.500 9V4.500H9M15 4.500h4.500V9M19.500 15v4.500H15M9 19.500H4.500V15",
  loud: "M4 9.500v5h3.500L12 18.500v-13L7.500 9.500zM15 9a4 4 0 0 1 0 6M17.500 6.500a7.500 7.500 0 0 1 0 11",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.500v15l12.500-7.500z",
  settings:
    "M4 8h8.800M17.200 8H20M4 16h2.800M11.200 16H20M17.200 8a2.200 2.200 0 1 1-4.400 0 2.200 2.200 0 0 1 4.400 0zM11.200 16a2.200 2.200 0 1 1-4.400 0 2.200 2.200 0 0 1 4.400 0z",
  silent: "M4 9.500v5h3.500L12 18.500v-13L7.500 9.500zM15.500 9.500l5 5M20.500 9.500l-5 5",
  small: "M9 4.500V9H4.500M19.500 9H15V4.500M15 19.500V15h4.500M4.500 15H9v4.500",
};

export const Shape = ({ name }: { name: keyof typeof shapes }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true" className={name === "play" ? "vp-shape vp-filled" : "vp-shape"}>
    <path d={shapes[name]} />
  </svg>
);
