export default function CurrentVideos() {
  return null;
}
