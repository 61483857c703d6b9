/** Finds the members of a service by ZooKeeper. */
@NullMarked
package io.fairlead.discovery.zookeeper;

import org.jspecify.annotations.NullMarked;
