// Ending a tree of processes where there is no pid namespace to do it.
#pragma once

#include <vector>

namespace ka::os {

// Stops, kills and (where they are our own children) reaps every descendant of root that is neither in spared
// nor below one of those; again and again until a scan of /proc finds none. root itself is not touched.
// Orphans count as descendants of the nearest ancestor with PR_SET_CHILD_SUBREAPER. Returns how many were
// killed, or -1 when some lived after 5 s.
int kill_descendants(int root, const std::vector<int>& spared);

// The same for root and all its descendants; root must be a child of the caller, who must be the subreaper,
// and who reaps root itself. Its descendants are reaped here.
int kill_tree(int root);

}  // namespace ka::os
