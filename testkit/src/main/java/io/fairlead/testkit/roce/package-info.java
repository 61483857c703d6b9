/** Fairlead over RDMA verbs in a virtual machine, for hosts without an RDMA device. */
@NullMarked
package io.fairlead.testkit.roce;

import org.jspecify.annotations.NullMarked;
