export default function PastVideos() {
  return null;
}
