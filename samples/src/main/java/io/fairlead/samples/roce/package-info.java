/** Fairlead over RDMA verbs in a virtual machine, for hosts without an RDMA device. */
@NullMarked
package io.fairlead.samples.roce;

import org.jspecify.annotations.NullMarked;
