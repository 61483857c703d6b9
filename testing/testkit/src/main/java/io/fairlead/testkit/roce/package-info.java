/** Runs of Fairlead over RDMA verbs in a virtual machine with RoCE in software, for hosts without an RDMA device. */
@NullMarked
package io.fairlead.testkit.roce;

import org.jspecify.annotations.NullMarked;
